/** Never read by anybody. */
export const UNSEEN =
  'script style template svg math iframe object canvas noembed noframes audio video button select textarea datalist dialog map'.split(
    ' ',
  );
/** What leads around a site and stands on each of its pages. */
export const AROUND = ['nav', 'footer'];
/** Stand apart from what is around them. */
export const SPACED = 'p table ul ol dl blockquote figure section article main aside details'.split(' ');
/** Begin on a line of their own. */
export const LINED = 'div header address form fieldset figcaption summary center dt legend caption'.split(' ');
/** Of which it is remembered that they are open. */
export const TRACKED = [
  ...UNSEEN,
  ...AROUND,
  ...SPACED,
  ...LINED,
  ...'pre a body span title h1 h2 h3 h4 h5 h6'.split(' '),
];
/** Without an end. */
export const VOID = 'area base br col embed hr img input link meta source track wbr'.split(' ');
