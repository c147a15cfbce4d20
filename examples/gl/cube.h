/* SPDX-License-Identifier: MIT */
#ifndef CUBE_H
#define CUBE_H

/**
 * cube_setup() - shaders, texture and corners of the cube
 * @width: of the picture, pixels
 * @height: of it
 *
 * Needs a current context of OpenGL ES 2.0 or later. What does not work ends the program with a
 * message.
 */
void cube_setup(int width, int height);

/**
 * cube_draw() - draw a frame
 * @frame: number, from 0: the cube turns by two degrees from one to the next
 */
void cube_draw(unsigned int frame);

#endif
