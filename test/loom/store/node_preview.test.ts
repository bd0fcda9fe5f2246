import { expect, test } from 'vitest';
import { canonicalJson } from '../../../loom/store/canonical_json.js';
import { previewOf } from '../../../loom/store/node_preview.js';

test('a preview is the same before and after its node is stored, whatever surrogates stand alone in it', () => {
  for (const text of ['\ud800 lone', `${'a'.repeat(199)}\ud83d\ude00 cut`, `${' '.repeat(3_999)}\ud83d\ude00 blank`]) {
    const blocks = [{ type: 'text' as const, text }];
    const preview = previewOf(blocks, null);
    expect([preview, Buffer.from(preview).toString()]).toEqual([
      previewOf(JSON.parse(canonicalJson(blocks)), null),
      preview,
    ]);
  }
});
