import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../loom/store/canonical_json.js';

describe('canonical JSON', () => {
  test('keys stand in the order of their UTF-16 units, at every depth', () => {
    const value = { peach: 1, 'p\u00E9ch\u00E9': 2, a: { z: 1, B: [{ y: 0, x: 0 }] }, '\u{1F600}': 3, '\uFB33': 4 };
    // The emoji begins with a surrogate, which stands before U+FB33 although its code point is higher.
    expect(canonicalJson(value)).toBe(
      '{"a":{"B":[{"x":0,"y":0}],"z":1},"peach":1,"p\u00E9ch\u00E9":2,"\u{1F600}":3,"\uFB33":4}',
    );
  });

  test('numbers are printed as ECMAScript prints them', () => {
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0])).toBe(
      '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
    );
  });

  test('lone surrogates become the replacement character, in keys and in values', () => {
    expect(canonicalJson({ 'a\uD800': 'b\uDC00c', ok: '\u{1F600}' })).toBe('{"a\uFFFD":"b\uFFFDc","ok":"😀"}');
  });

  test('undefined fields are left out', () => {
    expect(canonicalJson({ a: undefined, b: null })).toBe('{"b":null}');
  });
});
