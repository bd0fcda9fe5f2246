const META_BYTES = 4_096;

/** Decodes a page by its byte order mark, its header or its meta tag; UTF-8 without any. */
export function decodePage(body: Buffer, contentType: string, isHtml: boolean): string {
  const label = markOf(body) ?? charsetIn(contentType) ?? (isHtml ? metaOf(body) : null);
  return decodeAs(label ?? 'utf-8', body);
}

function markOf(body: Buffer): string | null {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : null;
}

/** The encoding named in a header or a meta tag. */
export function charsetIn(text: string): string | null {
  return /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(text)?.[1] ?? null;
}

// A page whose meta tag can be read as ASCII is not UTF-16, whatever it states.
function metaOf(body: Buffer): string | null {
  const label = charsetIn(body.toString('latin1', 0, META_BYTES));
  return label !== null && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

function decodeAs(label: string, body: Buffer): string {
  try {
    return new TextDecoder(label).decode(body);
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder('utf-8').decode(body); // an unknown encoding
    throw error;
  }
}
