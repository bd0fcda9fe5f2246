import { expect, test } from 'vitest';
import { fileReferences } from '../../../../cli/input/file_reference.js';
import { droppedImages } from '../../../../cli/repl/editor/actions/dropped_images.js';
import { FRAME, paste, pressed, typing } from './keyboard.js';

const THERE = new Set(['/tmp/a.png', '/tmp/my shot.PNG', "/tmp/it's.jpg", '/tmp/x "y" $z.gif', '/tmp/漢字 1.webp']);
const exists = (path: string): boolean => THERE.has(path);

test.each([
  ['a bare path', '/tmp/a.png', ['/tmp/a.png']],
  ['a path and a blank', '/tmp/a.png ', ['/tmp/a.png']],
  ['single quotes', "'/tmp/my shot.PNG' ", ['/tmp/my shot.PNG']],
  ['double quotes', '"/tmp/my shot.PNG"', ['/tmp/my shot.PNG']],
  ['backslashes', '/tmp/my\\ shot.PNG', ['/tmp/my shot.PNG']],
  ['a quote within quotes', "'/tmp/it'\\''s.jpg'", ["/tmp/it's.jpg"]],
  ['a quote with a backslash', "/tmp/it\\'s.jpg", ["/tmp/it's.jpg"]],
  ['quotes escaped in quotes', '"/tmp/x \\"y\\" \\$z.gif"', ['/tmp/x "y" $z.gif']],
  ['nothing quoted at all', '/tmp/my shot.PNG', ['/tmp/my shot.PNG']],
  ['a URL', 'file:///tmp/my%20shot.PNG\n', ['/tmp/my shot.PNG']],
  ['a URL with a host', 'file://box/tmp/%E6%BC%A2%E5%AD%97%201.webp', ['/tmp/漢字 1.webp']],
  ['several', "'/tmp/a.png' /tmp/my\\ shot.PNG\nfile:///tmp/a.png", ['/tmp/a.png', '/tmp/my shot.PNG', '/tmp/a.png']],
])('images dropped with %s are named', (_, text, paths) => {
  expect(fileReferences(droppedImages(text, exists) ?? '')).toEqual(paths);
});

test.each([
  'a.png',
  'see /tmp/a.png',
  '/tmp/a.png is broken',
  '/tmp/not there.png',
  '/tmp/a.png /tmp/b.png',
  '/tmp/notes.txt',
  'https://example.org/a.png',
  'file:///tmp/%zz.png',
  'file:///tmp%2fa.png',
  "'/tmp/a.png",
  '',
  `${'/tmp/a.png '.repeat(2_000)}`,
])('%j is a paste like any other', (text) => {
  expect(droppedImages(text, exists)).toBe(null);
});

test('what was dropped stands apart from what was written, and undo gives the paste itself', () => {
  const frame = { ...FRAME, completion: { ...FRAME.completion, exists } };
  const { state } = pressed([{ kind: 'text', text: 'see' }, paste("'/tmp/my shot.PNG' ")], undefined, frame);
  expect(typing('what is it?', state, frame)).toBe('see @"/tmp/my shot.PNG" what is it?|');
  expect(typing('<ctrl+_>', state, frame)).toBe("see'/tmp/my shot.PNG' |");
});
