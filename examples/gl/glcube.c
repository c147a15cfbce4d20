// SPDX-License-Identifier: MIT
/*
 * glcube - a cube that turns, on a screen or into a file
 *
 * The main loop of an OpenGL ES program without a window system. Frames depend on their number
 * alone: what one GPU shows can be compared with what another, or a CPU, draws into a file.
 */
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "screen.h"

struct options {
	const char *device;
	const char *file;
	unsigned long first;
	unsigned long frames;
	bool wait;
	int width;
	int height;
};

static const char help[] =
	"usage: glcube [OPTION]...\n"
	"\n"
	"Shows a cube that turns, two degrees with each frame, on the screen of a DRM device,\n"
	"and prints a line for each frame that is on the screen.\n"
	"\n"
	"  -d, --device PATH   DRM device (default: the first one that has a screen)\n"
	"  -f, --first N       number of the first frame (0)\n"
	"  -n, --frames N      how many (0: until it is ended)\n"
	"  -w, --wait          the next frame when a line is read from standard input\n"
	"  -p, --picture FILE  draw the first frame into FILE (PPM) instead, without a screen\n"
	"  -s, --size WxH      of that picture (1024x768)\n"
	"  -h, --help\n";

static void die(const char *what)
{
	fprintf(stderr, "glcube: %s (EGL 0x%x)\n", what, eglGetError());
	exit(1);
}

static unsigned long number(const char *text, const char *option)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || n > 1000000) {
		fprintf(stderr, "glcube: %s is a number up to 1000000, not \"%s\"\n", option, text);
		exit(2);
	}
	return n;
}

static struct options parse(int argc, char **argv)
{
	static const struct option options[] = {
		{ "device", 1, NULL, 'd' },  { "first", 1, NULL, 'f' },
		{ "frames", 1, NULL, 'n' },  { "wait", 0, NULL, 'w' },
		{ "picture", 1, NULL, 'p' }, { "size", 1, NULL, 's' },
		{ "help", 0, NULL, 'h' },    { 0 },
	};
	struct options o = { .width = 1024, .height = 768 };
	char rest;
	int c;

	while ((c = getopt_long(argc, argv, "d:f:n:wp:s:h", options, NULL)) != -1) {
		switch (c) {
		case 'd':
			o.device = optarg;
			break;
		case 'f':
			o.first = number(optarg, "--first");
			break;
		case 'n':
			o.frames = number(optarg, "--frames");
			break;
		case 'w':
			o.wait = true;
			break;
		case 'p':
			o.file = optarg;
			break;
		case 's':
			if (sscanf(optarg, "%dx%d%c", &o.width, &o.height, &rest) == 2 &&
			    o.width > 0 && o.height > 0 && o.width <= 8192 && o.height <= 8192)
				break;
			fprintf(stderr, "glcube: --size is WxH, 1 to 8192 each, not \"%s\"\n",
				optarg);
			exit(2);
		case 'h':
			fputs(help, stdout);
			exit(0);
		default:
			fputs("see glcube --help\n", stderr);
			exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "glcube: what is \"%s\"? See glcube --help\n", argv[optind]);
		exit(2);
	}
	return o;
}

/*
 * Colours and depth are the same for a screen and a file, so that both have the same picture; a
 * screen wants its own order of the colours, too, a file has 0 for visual
 */
static EGLConfig choose(EGLDisplay display, EGLint surface, EGLint visual)
{
	const EGLint wanted[] = {
		EGL_SURFACE_TYPE, surface, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
		EGL_RED_SIZE,	  8,	   EGL_GREEN_SIZE,	8,
		EGL_BLUE_SIZE,	  8,	   EGL_DEPTH_SIZE,	24,
		EGL_NONE
	};
	EGLConfig configs[64];
	EGLint red, alpha, id, n = 0;
	int i;

	if (!eglChooseConfig(display, wanted, configs, 64, &n))
		die("no configuration");
	for (i = 0; i < n; i++)
		if (eglGetConfigAttrib(display, configs[i], EGL_RED_SIZE, &red) && red == 8 &&
		    eglGetConfigAttrib(display, configs[i], EGL_ALPHA_SIZE, &alpha) && !alpha &&
		    eglGetConfigAttrib(display, configs[i], EGL_NATIVE_VISUAL_ID, &id) &&
		    (!visual || id == visual))
			return configs[i];
	die("no configuration with 8 bits of each colour and none of alpha");
	return NULL;
}

static void make_current(EGLDisplay display, EGLConfig config, EGLSurface surface)
{
	static const EGLint version[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
	EGLContext context;

	if (surface == EGL_NO_SURFACE)
		die("no surface");
	context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
	if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, surface, surface, context))
		die("no context");
	fprintf(stderr, "glcube: %s, %s\n", glGetString(GL_RENDERER), glGetString(GL_VERSION));
}

static void leave(EGLDisplay display)
{
	eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	eglTerminate(display);
}

/* OpenGL's first row is the lowest one */
static int write_picture(const struct options *o)
{
	size_t row = (size_t)o->width * 4, x, y;
	uint8_t *pixels = malloc(row * o->height);
	FILE *file = pixels ? fopen(o->file, "wb") : NULL;
	int ret;

	if (!file) {
		fprintf(stderr, "glcube: %s: %s\n", o->file, strerror(errno));
		free(pixels);
		return 1;
	}
	glReadPixels(0, 0, o->width, o->height, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
	fprintf(file, "P6\n%d %d\n255\n", o->width, o->height);
	for (y = o->height; y-- > 0;)
		for (x = 0; x < row; x += 4)
			fwrite(&pixels[y * row + x], 3, 1, file);
	ret = ferror(file) | fclose(file);
	if (ret)
		fprintf(stderr, "glcube: %s: %s\n", o->file, strerror(errno));
	free(pixels);
	return ret ? 1 : 0;
}

static int draw_picture(const struct options *o)
{
	const EGLint size[] = { EGL_WIDTH, o->width, EGL_HEIGHT, o->height, EGL_NONE };
	EGLDisplay display =
		eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	EGLConfig config;
	int ret;

	if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
		die("no display");
	config = choose(display, EGL_PBUFFER_BIT, 0);
	make_current(display, config, eglCreatePbufferSurface(display, config, size));
	cube_setup(o->width, o->height);
	cube_draw((unsigned int)o->first);
	ret = write_picture(o);
	leave(display);
	return ret;
}

/* False: there is no next frame */
static bool wait_for_line(void)
{
	int c;

	while ((c = getchar()) != EOF && c != '\n')
		;
	return c == '\n';
}

static int show_frames(const struct options *o, EGLDisplay display, EGLSurface surface,
		       struct screen *screen)
{
	unsigned long i;

	for (i = 0; !o->frames || i < o->frames; i++) {
		cube_draw((unsigned int)(o->first + i));
		if (!eglSwapBuffers(display, surface))
			die("a frame was not drawn");
		if (screen_show(screen))
			return 1;
		printf("glcube: frame %lu is on the screen\n", o->first + i);
		fflush(stdout);
		if (o->wait && !wait_for_line())
			break;
	}
	return 0;
}

static int draw_on_screen(const struct options *o)
{
	struct screen *screen = screen_open(o->device);
	EGLDisplay display;
	EGLConfig config;
	EGLSurface surface;
	int ret;

	if (!screen)
		return 1;
	display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, screen_device(screen), NULL);
	if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API))
		die("no display");
	config = choose(display, EGL_WINDOW_BIT, SCREEN_VISUAL);
	surface = eglCreatePlatformWindowSurface(display, config, screen_surface(screen), NULL);
	make_current(display, config, surface);
	cube_setup(screen_width(screen), screen_height(screen));
	ret = show_frames(o, display, surface, screen);
	leave(display);
	screen_close(screen);
	return ret;
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);

	return o.file ? draw_picture(&o) : draw_on_screen(&o);
}
