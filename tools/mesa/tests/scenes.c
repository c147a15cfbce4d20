// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pictures by OpenGL ES 3, drawn off-screen: a line "NAME CRC32" for each. Which processor
 * draws them, and that it makes no difference, is what its caller looks at.
 */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <GLES2/gl2ext.h>
#include <getopt.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define SIZE 256
#define MAX_COUNTERS 8

struct scene {
	const char *name;
	void (*draw)(void);
	int by_name; /* it takes long, and is drawn only if it is named */
};

static void die(const char *what)
{
	fprintf(stderr, "scenes: %s\n", what);
	exit(1);
}

static GLuint compile(GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);
	char log[1000];
	GLint ok;

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok) {
		glGetShaderInfoLog(shader, sizeof(log), NULL, log);
		die(log);
	}
	return shader;
}

static const char vertex[] = "#version 310 es\n"
			     "layout(location=0) in vec4 p; layout(location=1) in vec2 t;\n"
			     "layout(location=2) in vec3 n; uniform mat4 m;\n"
			     "out vec2 uv; out vec3 normal; out vec4 col;\n"
			     "void main() { gl_Position = m * p; uv = t; normal = mat3(m) * n;\n"
			     " col = vec4(t, 0.5, 1.0); gl_PointSize = 9.0; }\n";

#define FRAGMENT(body)                                                              \
	"#version 310 es\nprecision highp float; precision highp sampler2DArray;\n" \
	"precision highp sampler3D;\n"                                              \
	"in vec2 uv; in vec3 normal; in vec4 col;\n" body

static GLuint use(const char *fragment)
{
	static const float identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
	GLuint program = glCreateProgram();
	GLint ok;

	glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
	glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok)
		die("a program does not link");
	glUseProgram(program);
	glUniformMatrix4fv(glGetUniformLocation(program, "m"), 1, GL_FALSE, identity);
	return program;
}

static void matrix(GLuint program, float angle)
{
	float c = cosf(angle), s = sinf(angle), c2 = cosf(angle * 0.7f), s2 = sinf(angle * 0.7f);
	float m[16] = {
		1.2f * c, 1.2f * s * s2,  -s * c2, -0.35f * s * c2, 0, 1.2f * c2, s2,	0.35f * s2,
		1.2f * s, -1.2f * c * s2, c * c2,  0.35f * c * c2,  0, 0,	  0.3f, 2
	};

	glUniformMatrix4fv(glGetUniformLocation(program, "m"), 1, GL_FALSE, m);
}

static void quad(float size)
{
	const float v[4][8] = { { -size, -size, 0, 0, 0, 0, 0, -1 },
				{ size, -size, 0, 1, 0, 0, 0, -1 },
				{ -size, size, 0, 0, 1, 0, 0, -1 },
				{ size, size, 0, 1, 1, 0, 0, -1 } };

	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 32, v[0]);
	glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 32, v[0] + 3);
	glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, 32, v[0] + 5);
	glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void cube(void)
{
	static const float faces[6][9] = {
		{ 0, 0, -1, 1, 0, 0, 0, 1, 0 }, { 0, 0, 1, -1, 0, 0, 0, 1, 0 },
		{ 1, 0, 0, 0, 0, 1, 0, 1, 0 },	{ -1, 0, 0, 0, 0, -1, 0, 1, 0 },
		{ 0, 1, 0, 1, 0, 0, 0, 0, 1 },	{ 0, -1, 0, 1, 0, 0, 0, 0, -1 },
	};
	static const int corners[6][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 },
					   { 0, 0 }, { 1, 1 }, { 0, 1 } };
	static float v[36][8];
	int f, k, j;

	for (f = 0; f < 6; f++) {
		for (k = 0; k < 6; k++) {
			float *to = v[f * 6 + k];

			for (j = 0; j < 3; j++) {
				to[j] = 0.6f *
					(faces[f][j] + (corners[k][0] * 2 - 1) * faces[f][3 + j] +
					 (corners[k][1] * 2 - 1) * faces[f][6 + j]);
				to[5 + j] = faces[f][j];
			}
			to[3] = (float)corners[k][0];
			to[4] = (float)corners[k][1];
		}
	}
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 32, v[0]);
	glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 32, v[0] + 3);
	glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, 32, v[0] + 5);
	glDrawArrays(GL_TRIANGLES, 0, 36);
}

static GLuint texture(GLenum filter, int mipmaps)
{
	static uint8_t texels[128 * 128][4];
	GLuint name;
	int i;

	for (i = 0; i < 128 * 128; i++) {
		int x = i & 127, y = i >> 7, on = ((x >> 3) ^ (y >> 3)) & 1;

		texels[i][0] = (uint8_t)(on ? 255 : 2 * x);
		texels[i][1] = (uint8_t)(2 * y);
		texels[i][2] = on ? 40 : 200;
		texels[i][3] = (uint8_t)(255 - x);
	}
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 128, 128, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	if (mipmaps)
		glGenerateMipmap(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
			mipmaps ? GL_LINEAR_MIPMAP_LINEAR : (GLint)filter);
	return name;
}

#define SAMPLE "uniform sampler2D s; out vec4 c; void main() { c = texture(s, uv * 1.7); }"
#define LIT                                                                          \
	"uniform sampler2D s; out vec4 c; void main() { vec3 n = normalize(normal);" \
	" vec3 l = normalize(vec3(0.3, 0.5, -1.0)); float d = max(dot(n, l), 0.0);"  \
	" c = vec4(texture(s, uv).rgb * (0.2 + 0.8 * d)"                             \
	" + vec3(0.4 * pow(max(-reflect(-l, n).z, 0.0), 16.0)), 1.0); }"

static void flat_color(void)
{
	use(FRAGMENT("out vec4 c; void main() { c = vec4(0.2, 0.6, 0.9, 1.0); }"));
	quad(0.8f);
}

static void gouraud(void)
{
	matrix(use(FRAGMENT("out vec4 c; void main() { c = col; }")), 0.5f);
	quad(1.3f);
}

static void nearest(void)
{
	texture(GL_NEAREST, 0);
	matrix(use(FRAGMENT(SAMPLE)), 0.3f);
	quad(1.5f);
}

static void bilinear(void)
{
	texture(GL_LINEAR, 0);
	matrix(use(FRAGMENT(SAMPLE)), 0.3f);
	quad(1.5f);
}

static void lit_cube(void)
{
	texture(GL_LINEAR, 1);
	matrix(use(FRAGMENT(LIT)), 0.6f);
	glEnable(GL_DEPTH_TEST);
	cube();
}

static void blended(void)
{
	use(FRAGMENT("out vec4 c; void main() { c = vec4(col.rgb, uv.x); }"));
	glEnable(GL_BLEND);
	glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
	quad(0.9f);
	quad(0.6f);
	glBlendEquation(GL_MAX);
	quad(0.3f);
}

static void loops(void)
{
	use(FRAGMENT("out vec4 c; void main() { vec2 w = uv * 3.0 - vec2(2.0, 1.5), z = vec2(0.0);"
		     " float k = 0.0; for (int i = 0; i < 32; i++) {"
		     " z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + w;"
		     " if (dot(z, z) > 4.0) break; k += 1.0; }"
		     " c = vec4(sin(k * 0.3), cos(k * 0.2), k / 32.0, 1.0); }"));
	quad(1);
}

/* Some thousands of instructions for each pixel, and hundreds of triangles where it is covered */
static void long_shader(void)
{
	GLuint program = use(FRAGMENT(
		"uniform float n; out vec4 c; void main() { float a = uv.x, b = uv.y;"
		" for (float i = 0.0; i < n; i += 1.0) { a = fract(a * 1.7 + b); b = fract(b + a * 0.3); }"
		" c = vec4(a, b, uv.x, 1.0); }"));
	int i;

	glUniform1f(glGetUniformLocation(program, "n"), 300);
	quad(1);
	glUniform1f(glGetUniformLocation(program, "n"), 1);
	for (i = 0; i < 100; i++)
		quad(0.3f);
}

static void discarded(void)
{
	matrix(use(FRAGMENT(
		       "out vec4 c; void main() { if (fract(uv.x * 8.0 + uv.y * 5.0) < 0.4) discard;"
		       " c = vec4(uv, gl_FrontFacing ? 1.0 : 0.0, 1.0); }")),
	       0.9f);
	glEnable(GL_DEPTH_TEST);
	cube();
}

static void stencilled(void)
{
	use(FRAGMENT("out vec4 c; void main() { c = col; }"));
	glEnable(GL_STENCIL_TEST);
	glStencilFunc(GL_ALWAYS, 1, 0xff);
	glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
	quad(0.5f);
	glStencilFunc(GL_NOTEQUAL, 1, 0xff);
	glEnable(GL_SCISSOR_TEST);
	glScissor(17, 33, 190, 201);
	quad(0.9f);
}

static void points_and_lines(void)
{
	static float v[64][8];
	int i;

	use(FRAGMENT("out vec4 c; void main() { c = vec4(1.0, uv, 1.0); }"));
	for (i = 0; i < 64; i++) {
		v[i][0] = 0.9f * cosf((float)i * 2.3f);
		v[i][1] = 0.9f * sinf((float)i * 1.7f);
		v[i][3] = (float)i / 64;
	}
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 32, v[0]);
	glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 32, v[0] + 3);
	glDrawArrays(GL_LINE_STRIP, 0, 64);
	glDrawArrays(GL_POINTS, 0, 64);
}

static void many_triangles(void)
{
	GLuint program = use(
		FRAGMENT("out vec4 c; void main() { c = vec4(uv, normal.z * 0.5 + 0.5, 1.0); }"));
	int i;

	glEnable(GL_DEPTH_TEST);
	for (i = 0; i < 24; i++) {
		matrix(program, (float)i * 0.37f);
		quad(0.2f + (float)i * 0.04f);
	}
}

static void array_and_volume(void)
{
	static uint8_t texels[8 * 8 * 8][4];
	GLuint names[2], program;
	int i;

	for (i = 0; i < 8 * 8 * 8; i++) {
		texels[i][0] = (uint8_t)(i * 37);
		texels[i][1] = (uint8_t)(i * 11);
		texels[i][2] = (uint8_t)(i >> 1);
		texels[i][3] = 255;
	}
	glGenTextures(2, names);
	glActiveTexture(GL_TEXTURE0);
	glBindTexture(GL_TEXTURE_2D_ARRAY, names[0]);
	glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA8, 8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE,
		     texels);
	glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	glActiveTexture(GL_TEXTURE1);
	glBindTexture(GL_TEXTURE_3D, names[1]);
	glTexImage3D(GL_TEXTURE_3D, 0, GL_RGBA8, 8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
	glTexParameteri(GL_TEXTURE_3D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	program = use(FRAGMENT("uniform sampler2DArray a; uniform sampler3D v; out vec4 c;"
			       "void main() { c = mix(texture(a, vec3(uv, uv.x * 7.0)),"
			       " texture(v, vec3(uv, uv.y)), 0.5); }"));
	glUniform1i(glGetUniformLocation(program, "a"), 0);
	glUniform1i(glGetUniformLocation(program, "v"), 1);
	quad(1);
	glActiveTexture(GL_TEXTURE0);
}

/* Any bits are a picture in these formats: bytes and halves, as BPTC has them */
static void compressed(void)
{
	static const GLenum formats[] = { GL_COMPRESSED_RGBA_BPTC_UNORM_EXT,
					  GL_COMPRESSED_RGB_BPTC_UNSIGNED_FLOAT_EXT };
	static uint8_t blocks[16 * 16 * 16];
	uint32_t bits = 1;
	GLuint names[2], program;
	size_t i;

	for (i = 0; i < sizeof(blocks); i++) {
		bits = bits * 1664525 + 1013904223;
		blocks[i] = (uint8_t)(bits >> 24);
	}
	glGenTextures(2, names);
	for (i = 0; i < 2; i++) {
		glActiveTexture(GL_TEXTURE0 + (GLenum)i);
		glBindTexture(GL_TEXTURE_2D, names[i]);
		glCompressedTexImage2D(GL_TEXTURE_2D, 0, formats[i], 64, 64, 0, sizeof(blocks),
				       blocks);
		glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
	}
	if (glGetError())
		die("there are no compressed textures");
	program = use(FRAGMENT("uniform sampler2D a, b; out vec4 c; void main() {"
			       " c = uv.x < 0.5 ? texture(a, uv) : fract(texture(b, uv)); }"));
	glUniform1i(glGetUniformLocation(program, "b"), 1);
	quad(1);
	glActiveTexture(GL_TEXTURE0);
}

static void depth_fails(void)
{
	GLuint query, passed = 0;

	use(FRAGMENT("out vec4 c; void main() { c = col; }"));
	glGenQueries(1, &query);
	glEnable(GL_DEPTH_TEST);
	quad(0.5f);
	glDepthFunc(GL_GREATER);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	quad(0.4f);
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
	if (passed)
		die("samples passed that are hidden");
	glDepthFunc(GL_LEQUAL);
	glBeginQuery(GL_ANY_SAMPLES_PASSED, query);
	quad(0.4f);
	glEndQuery(GL_ANY_SAMPLES_PASSED);
	glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
	if (!passed)
		die("no sample passed");
}

static void derivatives(void)
{
	matrix(use(FRAGMENT(
		       "out vec4 c; void main() { c = vec4(abs(dFdx(uv)) * 60.0, fwidth(uv.x * uv.y) * 50.0,"
		       " 1.0); }")),
	       0.4f);
	quad(1.2f);
}

static const struct scene scenes[] = {
	{ "flat", flat_color, 0 },
	{ "gouraud", gouraud, 0 },
	{ "nearest", nearest, 0 },
	{ "bilinear", bilinear, 0 },
	{ "lit-cube", lit_cube, 0 },
	{ "blended", blended, 0 },
	{ "loops", loops, 0 },
	{ "long", long_shader, 1 },
	{ "discarded", discarded, 0 },
	{ "stencilled", stencilled, 0 },
	{ "points", points_and_lines, 0 },
	{ "triangles", many_triangles, 0 },
	{ "volume", array_and_volume, 0 },
	{ "compressed", compressed, 0 },
	{ "depth", depth_fails, 0 },
	{ "derivatives", derivatives, 0 },
};

#define COUNT (sizeof(scenes) / sizeof(scenes[0]))

/* A framebuffer with depth and stencil; with samples, what is drawn there is resolved into it. */
static GLuint framebuffer(int samples)
{
	GLuint name, buffers[2];

	glGenFramebuffers(1, &name);
	glBindFramebuffer(GL_FRAMEBUFFER, name);
	glGenRenderbuffers(2, buffers);
	glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
				  buffers[0]);
	glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
	glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH24_STENCIL8, SIZE, SIZE);
	glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER,
				  buffers[1]);
	if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
		die("a framebuffer is not complete");
	return name;
}

static void reset_state(void)
{
	glDisable(GL_DEPTH_TEST);
	glDisable(GL_STENCIL_TEST);
	glDisable(GL_SCISSOR_TEST);
	glDisable(GL_BLEND);
	glBlendEquation(GL_FUNC_ADD);
	glDepthFunc(GL_LESS);
	glClearColor(0.1f, 0.1f, 0.2f, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void write_picture(const char *dir, const char *name, const uint8_t *pixels)
{
	char path[500];
	FILE *f;
	int y, x;

	snprintf(path, sizeof(path), "%s/%s.ppm", dir, name);
	f = fopen(path, "w");
	if (!f)
		die(path);
	fprintf(f, "P6 %d %d 255\n", SIZE, SIZE);
	for (y = SIZE - 1; y >= 0; y--)
		for (x = 0; x < SIZE; x++)
			fwrite(pixels + 4 * (y * SIZE + x), 1, 3, f);
	fclose(f);
}

static void draw(const struct scene *scene, int samples, const char *dir)
{
	static uint8_t pixels[SIZE * SIZE * 4];
	GLuint plain = framebuffer(0), target = samples ? framebuffer(samples) : plain;
	char name[64];

	snprintf(name, sizeof(name), "%s%s", scene->name, samples ? "-ms" : "");
	glBindFramebuffer(GL_FRAMEBUFFER, target);
	glViewport(0, 0, SIZE, SIZE);
	reset_state();
	scene->draw();
	if (samples) {
		glDisable(GL_SCISSOR_TEST);
		glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
		glBindFramebuffer(GL_DRAW_FRAMEBUFFER, plain);
		glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT,
				  GL_NEAREST);
		glBindFramebuffer(GL_FRAMEBUFFER, plain);
	}
	glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	if (glGetError())
		die(name);
	printf("%s %08lx\n", name, crc32(0, pixels, sizeof(pixels)));
	fflush(stdout);
	if (dir)
		write_picture(dir, name, pixels);
}

static EGLDisplay start(void)
{
	static const EGLint config_attribs[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
						 EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT,
						 EGL_NONE };
	static const EGLint context_attribs[] = { EGL_CONTEXT_MAJOR_VERSION, 3,
						  EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE };
	EGLDisplay dpy =
		eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	EGLContext context;
	EGLConfig config;
	EGLint n;

	if (!eglInitialize(dpy, NULL, NULL))
		die("EGL does not start");
	eglBindAPI(EGL_OPENGL_ES_API);
	if (!eglChooseConfig(dpy, config_attribs, &config, 1, &n) || !n)
		die("there is no configuration");
	context = eglCreateContext(dpy, config, EGL_NO_CONTEXT, context_attribs);
	if (!context || !eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
		die("there is no context");
	fprintf(stderr, "scenes: %s, %s\n", (const char *)glGetString(GL_RENDERER),
		(const char *)glGetString(GL_VERSION));
	return dpy;
}

/**
 * struct monitor - counters of the driver, by GL_AMD_performance_monitor
 * @begin: glBeginPerfMonitorAMD()
 * @end: glEndPerfMonitorAMD()
 * @data: glGetPerfMonitorCounterDataAMD()
 * @name: of the monitor
 * @group: of the counters
 * @count: of them
 * @counters: their numbers
 * @names: for people
 */
struct monitor {
	PFNGLBEGINPERFMONITORAMDPROC begin;
	PFNGLENDPERFMONITORAMDPROC end;
	PFNGLGETPERFMONITORCOUNTERDATAAMDPROC data;
	GLuint name;
	GLuint group;
	GLint count;
	GLuint counters[MAX_COUNTERS];
	char names[MAX_COUNTERS][64];
};

static void *function(const char *name)
{
	void *found = (void *)eglGetProcAddress(name);

	if (!found)
		die(name);
	return found;
}

/* The first group is the driver's */
static void start_monitor(struct monitor *m)
{
	PFNGLGETPERFMONITORGROUPSAMDPROC groups = function("glGetPerfMonitorGroupsAMD");
	PFNGLGETPERFMONITORCOUNTERSAMDPROC counters = function("glGetPerfMonitorCountersAMD");
	PFNGLGETPERFMONITORCOUNTERSTRINGAMDPROC string =
		function("glGetPerfMonitorCounterStringAMD");
	PFNGLGENPERFMONITORSAMDPROC gen = function("glGenPerfMonitorsAMD");
	PFNGLSELECTPERFMONITORCOUNTERSAMDPROC choose = function("glSelectPerfMonitorCountersAMD");
	GLint n = 0, active, k;

	m->begin = function("glBeginPerfMonitorAMD");
	m->end = function("glEndPerfMonitorAMD");
	m->data = function("glGetPerfMonitorCounterDataAMD");
	groups(&n, 1, &m->group);
	if (n != 1)
		die("the driver counts nothing");
	counters(m->group, &m->count, &active, MAX_COUNTERS, m->counters);
	m->count = m->count < MAX_COUNTERS ? m->count : MAX_COUNTERS;
	for (k = 0; k < m->count; k++)
		string(m->group, m->counters[k], sizeof(m->names[k]), NULL, m->names[k]);
	gen(1, &m->name);
	choose(m->name, GL_TRUE, m->group, m->count, m->counters);
	m->begin(m->name);
}

/* Of each counter its group, its number and a value of 64 bits */
static void print_monitor(struct monitor *m)
{
	GLuint data[4 * MAX_COUNTERS] = { 0 };
	GLint bytes = 0, at, k;

	glFinish();
	m->end(m->name);
	m->data(m->name, GL_PERFMON_RESULT_AMD, sizeof(data), data, &bytes);
	for (at = 0; at + 4 <= bytes / 4; at += 4)
		for (k = 0; k < m->count; k++)
			if (data[at + 1] == m->counters[k])
				fprintf(stderr, "scenes: %s %llu\n", m->names[k],
					(unsigned long long)data[at + 3] << 32 | data[at + 2]);
}

static void usage(void)
{
	printf("usage: scenes [--dir DIR] [--samples N] [--count] [SCENE...]\n"
	       "Draws pictures off-screen; prints a line NAME CRC32 for each.\n"
	       "  --dir DIR    write DIR/NAME.ppm, too\n"
	       "  --samples N  draw with N samples of each pixel, and resolve them\n"
	       "  --count      say what the driver has counted (GL_AMD_performance_monitor)\n"
	       "  --leave      end without closing what was opened\n"
	       "  --list       names of all scenes\n");
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dir", required_argument, NULL, 'd' },
		{ "samples", required_argument, NULL, 's' },
		{ "count", no_argument, NULL, 'c' },
		{ "leave", no_argument, NULL, 'e' },
		{ "list", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *dir = NULL;
	int samples = 0, leave = 0, counts = 0, opt, k, drawn = 0;
	struct monitor monitor;
	EGLDisplay dpy;
	size_t i;

	while ((opt = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (opt == 'd') {
			dir = optarg;
		} else if (opt == 's') {
			samples = atoi(optarg);
		} else if (opt == 'c') {
			counts = 1;
		} else if (opt == 'e') {
			leave = 1;
		} else if (opt == 'l') {
			for (i = 0; i < COUNT; i++)
				puts(scenes[i].name);
			return 0;
		} else {
			usage();
			return opt == 'h' ? 0 : 2;
		}
	}
	dpy = start();
	if (counts)
		start_monitor(&monitor);
	for (k = 0; k < 3; k++)
		glEnableVertexAttribArray((GLuint)k);
	for (i = 0; i < COUNT; i++) {
		for (k = optind; k < argc && strcmp(argv[k], scenes[i].name); k++)
			;
		if (optind < argc ? k == argc : scenes[i].by_name)
			continue;
		draw(&scenes[i], samples, dir);
		drawn++;
	}
	if (counts)
		print_monitor(&monitor);
	if (!leave) {
		eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
		eglTerminate(dpy);
	}
	if (!drawn)
		die("no such scene: see --list");
	return 0;
}
