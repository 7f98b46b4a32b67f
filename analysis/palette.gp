# palette.gp - colours for all kinds of colour vision (Okabe & Ito 2008), highest contrast first. Yellow is replaced by
# brown, because thin yellow lines vanish on white. src/figure/style.c assigns colours, marks and dashes, the same in every
# figure.
array palette_colour[8] = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00', '#000000', '#7A4F1D']
palette_grey = '#555555'
# Patterns of filled areas for grey print: colours of similar grey have different patterns.
array palette_fill[8] = [3, 3, 4, 3, 5, 2, 3, 1]
