/** Never shown. */
export const NEVER_SHOWN =
  'script style template svg math iframe object canvas noembed noframes audio video button select textarea datalist dialog map'.split(
    ' ',
  );
/** Navigation, which stands on each page of a site. */
export const NAVIGATION = ['nav', 'footer'];
/** Separated by an empty line. */
export const PARAGRAPH_LIKE = 'p table ul ol dl blockquote figure section article main aside details'.split(' ');
/** Begin on a new line. */
export const OWN_LINE = 'div header address form fieldset figcaption summary center dt legend caption'.split(' ');
/** Elements whose end tags are matched. */
export const TRACKED = [
  ...NEVER_SHOWN,
  ...NAVIGATION,
  ...PARAGRAPH_LIKE,
  ...OWN_LINE,
  ...'pre a body span title h1 h2 h3 h4 h5 h6'.split(' '),
];
/** Without an end tag. */
export const VOID = 'area base br col embed hr img input link meta source track wbr'.split(' ');
