import { useState } from 'preact/hooks';
import { inked } from './ink.js';
import { memo } from './memo.js';

const COPIED_MS = 1_200;

/** A block of code; without colours while it is still being written. */
export const Code = memo(({ text, language, isDone }: { text: string; language: string; isDone: boolean }) => (
  <figure class="code">
    {language !== '' && <figcaption>{language.slice(0, 40)}</figcaption>}
    <CopyButton text={text} />
    <pre tabIndex={0}>
      <code>{isDone ? inked(text, language) : text}</code>
    </pre>
  </figure>
));

export function CopyButton({ text }: { text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    const done = (): void => {
      setCopied(true);
      setTimeout(() => setCopied(false), COPIED_MS);
    };
    // Without the permission to write to the clipboard the word on the button stays as it is.
    navigator.clipboard?.writeText(text).then(done, () => setCopied(false));
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      {isCopied ? 'copied' : 'copy'}
    </button>
  );
}
