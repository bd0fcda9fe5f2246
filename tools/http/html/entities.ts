// From U+00A0 on, in order.
const LATIN = `
  nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
  micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig
  Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash
  Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute
  ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc
  uuml yacute thorn yuml
`;

// Each name with its code point in hexadecimal.
const OTHERS = `
  OElig:152 oelig:153 Scaron:160 scaron:161 Yuml:178 fnof:192 circ:2c6 tilde:2dc Alpha:391 Beta:392 Gamma:393
  Delta:394 Epsilon:395 Zeta:396 Eta:397 Theta:398 Iota:399 Kappa:39a Lambda:39b Mu:39c Nu:39d Xi:39e Omicron:39f
  Pi:3a0 Rho:3a1 Sigma:3a3 Tau:3a4 Upsilon:3a5 Phi:3a6 Chi:3a7 Psi:3a8 Omega:3a9 alpha:3b1 beta:3b2 gamma:3b3
  delta:3b4 epsilon:3b5 zeta:3b6 eta:3b7 theta:3b8 iota:3b9 kappa:3ba lambda:3bb mu:3bc nu:3bd xi:3be omicron:3bf
  pi:3c0 rho:3c1 sigmaf:3c2 sigma:3c3 tau:3c4 upsilon:3c5 phi:3c6 chi:3c7 psi:3c8 omega:3c9 thetasym:3d1 upsih:3d2
  piv:3d6 ensp:2002 emsp:2003 thinsp:2009 zwnj:200c zwj:200d lrm:200e rlm:200f ndash:2013 mdash:2014 lsquo:2018
  rsquo:2019 sbquo:201a ldquo:201c rdquo:201d bdquo:201e dagger:2020 Dagger:2021 bull:2022 hellip:2026 permil:2030
  prime:2032 Prime:2033 lsaquo:2039 rsaquo:203a oline:203e frasl:2044 euro:20ac image:2111 weierp:2118 real:211c
  trade:2122 alefsym:2135 larr:2190 uarr:2191 rarr:2192 darr:2193 harr:2194 crarr:21b5 lArr:21d0 uArr:21d1
  rArr:21d2 dArr:21d3 hArr:21d4 forall:2200 part:2202 exist:2203 empty:2205 nabla:2207 isin:2208 notin:2209
  ni:220b prod:220f sum:2211 minus:2212 lowast:2217 radic:221a prop:221d infin:221e ang:2220 and:2227 or:2228
  cap:2229 cup:222a int:222b there4:2234 sim:223c cong:2245 asymp:2248 ne:2260 equiv:2261 le:2264 ge:2265 sub:2282
  sup:2283 nsub:2284 sube:2286 supe:2287 oplus:2295 otimes:2297 perp:22a5 sdot:22c5 lceil:2308 rceil:2309
  lfloor:230a rfloor:230b lang:2329 rang:232a loz:25ca spades:2660 clubs:2663 hearts:2665 diams:2666 apos:27
  amp:26 lt:3c gt:3e quot:22 check:2713 cross:2717 star:2606 starf:2605 phone:260e hyphen:2010 dash:2010 num:23
  percnt:25 lpar:28 rpar:29 ast:2a plus:2b comma:2c period:2e sol:2f colon:3a semi:3b equals:3d quest:3f commat:40
  lsqb:5b bsol:5c rsqb:5d Hat:5e lowbar:5f grave:60 lcub:7b lbrace:7b vert:7c verbar:7c rcub:7d rbrace:7d
  lbrack:5b rbrack:5d excl:21 dollar:24 NewLine:a Tab:9 rightarrow:2192 leftarrow:2190 COPY:a9 REG:ae AMP:26 LT:3c
  GT:3e QUOT:22 caron:2c7 inodot:131 Ccaron:10c ccaron:10d Rcaron:158 rcaron:159 Zcaron:17d zcaron:17e ecaron:11b
  Ecaron:11a nacute:144 sacute:15b Sacute:15a cacute:107 zacute:17a zdot:17c lstrok:142 Lstrok:141 eogon:119
  aogon:105 abreve:103 scedil:15f gbreve:11f Idot:130
`;

const NAMES = new Map<string, string>([
  ...words(LATIN).map((name, index): [string, string] => [name, String.fromCodePoint(0xa0 + index)]),
  ...words(OTHERS).map((entry): [string, string] => {
    const [name = '', code = ''] = entry.split(':');
    return [name, String.fromCodePoint(Number.parseInt(code, 16))];
  }),
]);

const ENTITY = /&(#x[0-9a-f]{1,8}|#[0-9]{1,9}|[a-z][a-z0-9]{1,31});?/gi;

// What numbers from 128 to 159 mean on pages, by the HTML standard: the characters of windows-1252.
const WINDOWS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

// Only these are read without their semicolon, by the HTML standard.
const LEGACY = new Set([...words(LATIN), ...words('amp lt gt quot AMP LT GT QUOT COPY REG')]);

/** Replaces entities, such as `&amp;`, by their characters; unknown ones stay as they are. */
export function decodeEntities(text: string): string {
  return decode(text, () => true);
}

/** The same for the value of an attribute: `?a=1&copy=2` is an address, not a copyright sign. */
export function decodeAttribute(value: string): string {
  return decode(value, (end) => value[end] !== '=');
}

function decode(text: string, mayLackSemicolon: (end: number) => boolean): string {
  if (!text.includes('&')) return text;
  return text.replace(ENTITY, (whole, name: string, offset: number) => {
    if (name.startsWith('#')) {
      const isHex = /^#x/i.test(name);
      return characterOf(Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10));
    }
    const isEntity = whole.endsWith(';') || (LEGACY.has(name) && mayLackSemicolon(offset + whole.length));
    return isEntity ? (NAMES.get(name) ?? whole) : whole;
  });
}

function characterOf(code: number): string {
  if (code >= 0x80 && code <= 0x9f) return WINDOWS[code - 0x80] ?? '\uFFFD';
  const isNone = code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
  return isNone ? '\uFFFD' : String.fromCodePoint(code);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
