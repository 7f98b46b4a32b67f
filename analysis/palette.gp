# palette.gp - colours that people with any kind of colour vision can tell apart (Okabe & Ito 2008), darkest
# contrast first; the yellow is left out, because thin lines of it vanish on white, and a brown is added. Which thing has
# which colour, mark and dash is the same in every figure: src/figure/looks.c.
array palette_colour[8] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00', '#000000', '#7A4F1D']
palette_grey = '#555555'
# Patterns of filled areas, for grey print: colours that are alike in grey have other ones.
array palette_fill[8] = [3, 3, 4, 3, 5, 2, 3, 1]
