/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How hard the library compresses */
#ifndef VIEW_COMPRESS_H
#define VIEW_COMPRESS_H

#define COMPRESS_LEAST 1
#define COMPRESS_USUAL 6
#define COMPRESS_MOST 9

/* From now on, of zlib's levels */
void compress_set(unsigned int level);

#endif
