import { expect, test } from 'vitest';
import { htmlText } from '../../../../tools/http/html/html_to_text.js';

const { signal } = new AbortController();
const textOf = async (html: string, url = 'https://example.org/a/b') => (await htmlText(html, { url, signal })).text;

test('a page reads from top to bottom, with headings, lists, links, code and tables', async () => {
  const html = `<!doctype html><html><head><title>A &amp; B — t&eacute;st</title><style>p { color: red }</style>
    <script>document.write("<p>never</p>"); if (a<b) { }</script></head><body>
    <nav><ul><li><a href="/home">Home</a></ul></nav>
    <main><h1>Hello   <em>world</em></h1><p>First <a href="../x?y=1#z">a <b>link</b></a> and
    more.<br>after it<ul><li>one<li>two<ul><li>deep<li><p>a paragraph</p></ul></li><li>three</ul>
    <ol><li>a</li><li>b</li></ol>
    <pre><code>let x = 1 &lt; 2;
  indented
</code></pre>
    <table><tr><th>Name<th>Age<tr><td><p>Ann</p><p>Lee</p><td>3</table>
    <blockquote><p>quoted</p><p>twice</p></blockquote>
    <img alt="a cat" src="x.png"> use <code>npm i</code> now, <a href="#there">there</a>, <a href="javascript:x()">js</a>
    <dl><dt>Term<dd>Meaning</dl><p hidden>secret</p><span aria-hidden="true">icon</span><hr><p>end</main>
    <footer>about us</footer>`;
  const { title, text } = await htmlText(html, { url: 'https://example.org/a/b', signal });
  expect(title).toBe('A & B — tést');
  expect(text).toBe(`# Hello world

First [a link](https://example.org/x?y=1#z) and more.
after it

- one
- two
  - deep
  - a paragraph
- three

1. a
2. b

\`\`\`
let x = 1 < 2;
  indented
\`\`\`

| Name | Age |
| Ann Lee | 3 |

> quoted

> twice

[image: a cat] use \`npm i\` now, there, js

Term
  Meaning

---

end`);
});

test('links begin at the base that the page states', async () => {
  expect(await textOf('<base href="https://other.example/d/"><a href="e">x</a>')).toBe(
    '[x](https://other.example/d/e)',
  );
});

test('a page of nothing but navigation is shown with it', async () => {
  expect(await textOf('<nav><a href="/x">only</a></nav>')).toBe('[only](https://example.org/x)');
});

test('an element that is never closed hides no more than its parent', async () => {
  expect(await textOf('<div><nav>around</div><p>content')).toBe('content');
});

test('entities become characters, and unknown ones stay as they are', async () => {
  expect(await textOf('&lt;&eacute;&#228;&#x1F600;&#150;&hearts;&nosuch;&copy;2 &amp;amp; &#0;&#xD800; AT&T')).toBe(
    '<éä😀–♥&nosuch;©2 &amp; \uFFFD\uFFFD AT&T',
  );
});

test('parameters of an address that look like entities stay as they are', async () => {
  const html = '<a href="/p?a=1&lang=en&copy=2&amp;x=&lt;&#50;">x</a> &alpha &alpha; &copy';
  expect(await textOf(html)).toBe('[x](https://example.org/p?a=1&lang=en&copy=2&x=%3C2) &alpha α ©');
});

test('names of JavaScript properties are element names like any other', async () => {
  expect(await textOf('<constructor>a</constructor><tostring>b</tostring><hasownproperty x=1 __proto__=2>c')).toBe(
    'abc',
  );
  expect(Reflect.get({}, 'x')).toBeUndefined();
});

test('a page that is cut off anywhere is read to its end', async () => {
  const html = '<p>text <a href="x">link</a> <!-- note --> <b>bold</b> &amp; <img alt="y"> <script>z</script>';
  for (let end = 0; end <= html.length; end += 1) expect(await textOf(html.slice(0, end))).not.toContain('z');
});

test.each([
  ['tags without an end', '<a '],
  ['quotes without an end', '<a x="'],
  ['comments without an end', '<!--'],
  ['scripts without an end', '<script>'],
  ['lists in lists', '<ul><li>x'],
  ['quotations in quotations', '<blockquote>x'],
  ['tables in tables', '<table><tr><td>x'],
  ['links', '<a href=x>t</a>'],
  ['ends without a beginning', '</div>'],
  ['code in code', '<pre>\n'],
  ['ampersands', '&#x'],
])('a page of 200,000 %s becomes text of a bounded size', async (_, piece) => {
  const text = await textOf(piece.repeat(200_000), `https://example.org/${'p'.repeat(4_000)}/`);
  expect(text.length).toBeLessThan(10_000_000);
});

test('a base of millions of characters is not read with each link of the page', async () => {
  const base = `https://example.org/${'b'.repeat(4_000_000)}/`;
  const text = await textOf(`<base href="${base}">${'<a href="c">x</a> '.repeat(100_000)}`);
  expect(text.startsWith('[x](https://example.org/a/c) ')).toBe(true);
  expect(await textOf(`<a href="/${'d'.repeat(9_000)}">far</a>`)).toBe('far');
});
