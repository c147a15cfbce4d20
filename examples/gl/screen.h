/* SPDX-License-Identifier: MIT */
#ifndef SCREEN_H
#define SCREEN_H

/* XRGB8888, as DRM, GBM and EGL name it */
#define SCREEN_VISUAL 0x34325258

struct gbm_surface;
struct screen;

/**
 * screen_open() - take a screen of a DRM device, which nobody else may show something on
 * @path: of the device's primary node; NULL: the first one with a screen
 *
 * Return: a screen in its preferred mode; NULL: none, a message is on standard error.
 */
struct screen *screen_open(const char *path);

/**
 * screen_close() - give it back
 * @screen: from screen_open(); EGL must not use its surface any more
 */
void screen_close(struct screen *screen);

/**
 * screen_device() - for eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR)
 * @screen: screen
 *
 * Return: struct gbm_device.
 */
void *screen_device(const struct screen *screen);

/**
 * screen_surface() - for eglCreatePlatformWindowSurface(), of SCREEN_VISUAL
 * @screen: screen
 *
 * Return: surface.
 */
struct gbm_surface *screen_surface(const struct screen *screen);

/**
 * screen_width() - of the mode
 * @screen: screen
 *
 * Return: pixels.
 */
int screen_width(const struct screen *screen);

/**
 * screen_height() - of the mode
 * @screen: screen
 *
 * Return: pixels.
 */
int screen_height(const struct screen *screen);

/**
 * screen_show() - show what eglSwapBuffers() has given to the surface
 * @screen: screen
 *
 * Returns when it is on the screen.
 *
 * Return: 0; -1: a message is on standard error.
 */
int screen_show(struct screen *screen);

#endif
