# SPDX-License-Identifier: GPL-2.0-only
#
# Sphinx, for "make docs". Only what comes with sphinx is used.

project = 'Tessera'
author = 'the Tessera developers'
copyright = author
extensions = []
root_doc = 'index'
source_suffix = '.rst'
# Manual pages are made by rst2man: they are documents of their own
exclude_patterns = ['man']
highlight_language = 'none'
nitpicky = True
html_theme = 'alabaster'
html_copy_source = False
html_theme_options = {'body_max_width': '60em', 'page_width': '78em'}
