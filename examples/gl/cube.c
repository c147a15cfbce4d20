// SPDX-License-Identifier: MIT
/*
 * A cube with a picture on each side, lit from the front, by OpenGL ES 2.0 alone. A frame depends
 * on nothing but its number, so two GPUs, or a GPU and a CPU, can be compared.
 */
#include <GLES2/gl2.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cube.h"

#define TEXELS 128
#define PI 3.14159265358979f

static const char vertex[] = "attribute vec3 at;\n"
			     "attribute vec3 normal;\n"
			     "attribute vec2 texel;\n"
			     "uniform mat4 place;\n"
			     "uniform mat4 lens;\n"
			     "varying vec3 n;\n"
			     "varying vec3 p;\n"
			     "varying vec2 uv;\n"
			     "void main() {\n"
			     "	vec4 seen = place * vec4(at, 1.0);\n"
			     "	n = mat3(place) * normal;\n"
			     "	p = seen.xyz;\n"
			     "	uv = texel;\n"
			     "	gl_Position = lens * seen;\n"
			     "}\n";

static const char fragment[] =
	"precision highp float;\n"
	"uniform sampler2D side;\n"
	"varying vec3 n;\n"
	"varying vec3 p;\n"
	"varying vec2 uv;\n"
	"void main() {\n"
	"	vec3 to_light = normalize(vec3(2.0, 3.0, 4.0) - p);\n"
	"	vec3 normal = normalize(n);\n"
	"	float lit = max(dot(normal, to_light), 0.0);\n"
	"	vec3 half_way = normalize(to_light - normalize(p));\n"
	"	float shine = pow(max(dot(normal, half_way), 0.0), 24.0);\n"
	"	vec3 colour = texture2D(side, uv).rgb * (0.2 + 0.8 * lit) + vec3(0.35 * shine);\n"
	"	gl_FragColor = vec4(colour, 1.0);\n"
	"}\n";

static GLint place, lens;
static float shape;

static void give_up(const char *what, const char *why)
{
	fprintf(stderr, "glcube: %s: %s\n", what, why);
	exit(1);
}

static GLuint compile(GLenum type, const char *source)
{
	GLuint shader = glCreateShader(type);
	char why[1000] = "";
	GLint ok = 0;

	glShaderSource(shader, 1, &source, NULL);
	glCompileShader(shader);
	glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
	if (!ok) {
		glGetShaderInfoLog(shader, sizeof(why), NULL, why);
		give_up("a shader does not compile", why);
	}
	return shader;
}

static void use_program(void)
{
	GLuint program = glCreateProgram();
	char why[1000] = "";
	GLint ok = 0;

	glAttachShader(program, compile(GL_VERTEX_SHADER, vertex));
	glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
	glBindAttribLocation(program, 0, "at");
	glBindAttribLocation(program, 1, "normal");
	glBindAttribLocation(program, 2, "texel");
	glLinkProgram(program);
	glGetProgramiv(program, GL_LINK_STATUS, &ok);
	if (!ok) {
		glGetProgramInfoLog(program, sizeof(why), NULL, why);
		give_up("the program does not link", why);
	}
	glUseProgram(program);
	place = glGetUniformLocation(program, "place");
	lens = glGetUniformLocation(program, "lens");
}

/* Rings of colour on a chequered ground */
static void use_texture(void)
{
	static uint8_t texels[TEXELS][TEXELS][3];
	GLuint name;
	int x, y;

	for (y = 0; y < TEXELS; y++) {
		for (x = 0; x < TEXELS; x++) {
			int dx = x - TEXELS / 2, dy = y - TEXELS / 2,
			    ring = (dx * dx + dy * dy) >> 7;
			int dark = ((x >> 4) ^ (y >> 4)) & 1;

			texels[y][x][0] = ring < 30 ? 255 - ring * 6 : dark ? 60 : 200;
			texels[y][x][1] = ring < 30 ? 40 + ring * 6 : dark ? 70 : 210;
			texels[y][x][2] = ring < 30 && (ring & 4) ? 180 : dark ? 90 : 220;
		}
	}
	glGenTextures(1, &name);
	glBindTexture(GL_TEXTURE_2D, name);
	glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, TEXELS, TEXELS, 0, GL_RGB, GL_UNSIGNED_BYTE, texels);
	glGenerateMipmap(GL_TEXTURE_2D);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
	glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
}

static void use_corners(void)
{
	static const int turns[6][2] = {
		{ 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 1 }
	};
	static float corners[36][8];
	int side, i;

	for (side = 0; side < 6; side++) {
		/* Right, up and out make a right-handed system */
		int out = side / 2, right = (out + 1) % 3, up = (out + 2) % 3;
		float sign = side % 2 ? -1 : 1;

		for (i = 0; i < 6; i++) {
			float *c = corners[side * 6 + i];
			float u = (float)turns[i][0], v = (float)turns[i][1];

			c[out] = sign;
			c[right] = sign * (2 * u - 1);
			c[up] = 2 * v - 1;
			c[3 + out] = sign;
			c[6] = u;
			c[7] = v;
		}
	}
	glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(corners[0]), corners[0]);
	glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, sizeof(corners[0]), corners[0] + 3);
	glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, sizeof(corners[0]), corners[0] + 6);
	for (i = 0; i < 3; i++)
		glEnableVertexAttribArray(i);
}

void cube_setup(int width, int height)
{
	shape = (float)width / (float)height;
	glViewport(0, 0, width, height);
	glEnable(GL_DEPTH_TEST);
	glEnable(GL_CULL_FACE);
	use_program();
	use_texture();
	use_corners();
}

/* Columns, as OpenGL has them: a view of 45 degrees, from 1 to 10 */
static void set_lens(void)
{
	float f = 1 / tanf(PI / 8), m[16] = { 0 };

	m[0] = shape > 1 ? f / shape : f;
	m[5] = shape > 1 ? f : f * shape;
	m[10] = -11.0f / 9;
	m[11] = -1;
	m[14] = -20.0f / 9;
	glUniformMatrix4fv(lens, 1, GL_FALSE, m);
}

static void set_place(unsigned int frame)
{
	float turn = (float)(frame % 180) * PI / 90, tilt = 0.5f + 0.25f * sinf(turn);
	float c = cosf(turn), s = sinf(turn), ct = cosf(tilt), st = sinf(tilt);
	float m[16] = { c, s * st, -s * ct, 0, 0, ct, st, 0, s, -c * st, c * ct, 0, 0, 0, -5, 1 };

	glUniformMatrix4fv(place, 1, GL_FALSE, m);
}

void cube_draw(unsigned int frame)
{
	glClearColor(0.08f, 0.1f, 0.16f, 1);
	glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
	set_lens();
	set_place(frame);
	glDrawArrays(GL_TRIANGLES, 0, 36);
}
