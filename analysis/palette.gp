# palette.gp - colours for all kinds of colour vision, after Okabe & Ito (2008). The smallest CIEDE2000 difference of two of
# them is 27, as seen with deuteranopia 14.6, protanopia 16.5 and tritanopia 13.1 (simulated after Machado et al. 2009;
# tests/style/palette.py). src/figure/style.c assigns colours, marks and dashes, the same in every figure.
array palette_colour[8] = ['#0072B2', '#D55E00', '#21A671', '#A6106B', '#7CCBE8', '#E6AC00', '#000000', '#66321F']
palette_grey = '#555555'
# Patterns of filled areas for grey print: colours of similar grey have different patterns, on a tint of the colour. 3 is solid:
# it is drawn as such, because viewers show seams between the tiles of a pattern.
array palette_fill[8] = [3, 3, 4, 3, 5, 2, 3, 1]
array palette_tint[8] = ['#0072B2', '#D55E00', '#B1E0CD', '#A6106B', '#D1EDF7', '#F6E2A6', '#000000', '#C9B7B1']
