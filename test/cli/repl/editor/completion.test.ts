import { describe, expect, test } from 'vitest';
import { fileReference, fileReferences } from '../../../../cli/input/file_reference.js';
import { refreshMenu } from '../../../../cli/repl/editor/actions/menu_actions.js';
import { createFuzzyFiles } from '../../../../cli/repl/editor/completion/fuzzy_files.js';
import type { Completion } from '../../../../cli/repl/editor/completion/menu.js';
import { type EditorState, newEditor } from '../../../../cli/repl/editor/state/editor_state.js';
import { FRAME, pressed, sent, typing } from './keyboard.js';

const FILES = [
  'src/main.ts',
  'src/utils.ts',
  'src/my file.ts',
  'docs/main.md',
  'README.md',
  '.github/ci.yml',
  'Ünï/漢字.txt',
];
const index = createFuzzyFiles();
index.add(FILES);
const completion: Completion = {
  commands: [
    { name: 'back', detail: 'one message back', takesArguments: true },
    { name: 'branches', detail: 'what begins here', takesArguments: false },
    { name: 'switch', detail: 'go elsewhere', takesArguments: true },
    { name: 'quit', detail: 'leave', takesArguments: false },
  ],
  files: index.find,
  arguments: (command, words) =>
    command === 'switch' && words.length === 0
      ? [
          { value: 'a1b2', detail: 'first branch' },
          { value: 'a2c3', detail: 'second branch' },
        ]
      : [],
};
const FRAME_WITH = { ...FRAME, completion };

const completed = (keys: string): string => typing(keys, newEditor(), FRAME_WITH);

function offered(keys: string): string[] {
  return itemsOf(pressed(keys, newEditor(), FRAME_WITH).state);
}

function itemsOf({ menu }: EditorState): string[] {
  return menu.kind === 'closed' ? [] : menu.items.map(({ value }, at) => (at === menu.selected ? `${value} *` : value));
}

describe('commands', () => {
  test('a slash at the start offers them, and typing narrows', () => {
    expect(offered('/')).toEqual(['back *', 'branches', 'switch', 'quit']);
    expect(offered('/b')).toEqual(['back *', 'branches']);
    expect(offered('/br')).toEqual(['branches *']);
    expect(offered('/tch')).toEqual(['switch *']);
    expect(offered('/xyz')).toEqual([]);
    expect(offered('say /b')).toEqual([]);
  });

  test('Tab takes the selected one, and one with arguments is gone on with', () => {
    expect(completed('/br<tab>')).toBe('/branches|');
    expect(completed('/sw<tab>')).toBe('/switch |');
    expect(offered('/sw<tab>')).toEqual(['a1b2', 'a2c3']);
  });

  test('the arrows and Shift-Tab go around the menu', () => {
    expect(offered('/b<down>')).toEqual(['back', 'branches *']);
    expect(offered('/b<down><down>')).toEqual(['back *', 'branches']);
    expect(offered('/b<shift+tab>')).toEqual(['back', 'branches *']);
    expect(offered('/b<ctrl+n><ctrl+p>')).toEqual(['back *', 'branches']);
  });

  test('Enter takes what is half written, and sends what is whole', () => {
    expect(completed('/qu<enter>')).toBe('/quit|');
    expect(sent(pressed('/qu<enter><enter>', newEditor(), FRAME_WITH).effects)).toEqual(['now: /quit']);
    expect(sent(pressed('/quit<enter>', newEditor(), FRAME_WITH).effects)).toEqual(['now: /quit']);
    expect(sent(pressed('/nothing<enter>', newEditor(), FRAME_WITH).effects)).toEqual(['now: /nothing']);
  });

  test('after a command @ alone is where one stands, and Enter sends it; in a message it takes a file', () => {
    expect(sent(pressed('/switch @<enter>', newEditor(), FRAME_WITH).effects)).toEqual(['now: /switch @']);
    expect(completed('/switch @<down><enter>')).toBe('/switch @src/|');
    expect(completed('/switch @READ<enter>')).toBe('/switch @README.md |');
    expect(completed('see @<enter>')).toBe('see @src/|');
  });

  test('Enter never replaces an argument by another one that was not chosen', () => {
    expect(sent(pressed('/switch a<enter>', newEditor(), FRAME_WITH).effects)).toEqual(['now: /switch a']);
    expect(completed('/switch a<down><enter>')).toBe('/switch a1b2 |');
    expect(completed('/switch a<tab>')).toBe('/switch a1b2 |');
  });

  test('Esc closes the menu until something else begins', () => {
    expect(offered('/b<escape>')).toEqual([]);
    expect(offered('/b<escape>r')).toEqual([]);
    expect(pressed('/b<escape><escape>', newEditor(), FRAME_WITH).effects).toEqual([{ kind: 'escape' }]);
    expect(offered('/b<escape><backspace><backspace>@m')).not.toEqual([]);
    expect(completed('/br<escape><tab>')).toBe('/branches|');
  });

  test('the menu goes when the cursor leaves', () => {
    expect(offered('/b<left>')).toEqual([]);
  });

  test('the selected candidate stays selected while typing', () => {
    expect(offered('/<down><down>s')).toEqual(['switch *', 'branches']);
  });
});

describe('files', () => {
  test('an at sign offers them, what lies near first', () => {
    expect(offered('look at @').slice(0, 5)).toEqual(['src/ *', 'Ünï/', 'docs/', 'README.md', 'Ünï/漢字.txt']);
  });

  test('the name counts more than the folder, and the signs need only be in order', () => {
    expect(index.find('main')).toEqual(['src/main.ts', 'docs/main.md']);
    expect(index.find('smts')).toEqual(['src/main.ts', 'src/my file.ts']);
    expect(index.find('MAIN.MD')).toEqual(['docs/main.md']);
    expect(index.find('docs/m')).toEqual(['docs/main.md']);
    expect(index.find('./src/u')).toEqual(['src/utils.ts']);
    expect(index.find('漢')).toEqual(['Ünï/漢字.txt']);
    expect(index.find('u\u0308n')[0]).toBe('Ünï/');
    expect(index.find('zzz')).toEqual([]);
  });

  test('hidden ones are found only when they are asked for', () => {
    expect(index.find('yml')).toEqual([]);
    expect(index.find('.g')).toEqual(['.github/', '.github/ci.yml']);
    expect(index.find('yml')).toEqual([]);
  });

  test('a name with blanks is quoted, and completion goes on inside the quotes', () => {
    expect(completed('see @my<tab>')).toBe('see @"src/my file.ts" |');
    expect(completed('see @"my f<tab>')).toBe('see @"src/my file.ts" |');
    expect(fileReference('a "b" \\c')).toBe('@"a \\"b\\" \\\\c"');
    expect(fileReference('my folder/')).toBe('@"my folder/');
  });

  test('completion continues inside a folder', () => {
    expect(completed('@docs<tab>')).toBe('@docs/|');
    expect(completed('@docs<tab><tab>')).toBe('@docs/main.md |');
  });

  test('a blank that stands behind it already is enough', () => {
    expect(completed('see  now<left><left><left><left>@main.md<tab>')).toBe('see @docs/main.md |now');
    expect(completed('see now<left><left><left>@main.md<tab>')).toBe('see @docs/main.md |now');
  });

  test('an address of mail names no file', () => {
    expect(offered('me@main')).toEqual([]);
  });

  test('a completed file name refers to the same file when it is parsed', () => {
    const text = `${FILES.map(fileReference).join(' and ')}, me@example.org`;
    expect(fileReferences(text)).toEqual(FILES);
    const odd = ['a "b"', 'c\\d e', "it's", 'ü ñ', 'end.'];
    expect(fileReferences(odd.map(fileReference).join(' '))).toEqual(odd);
  });

  test('a list that comes later opens the menu then', () => {
    let files: string[] = [];
    const frame = { ...FRAME, completion: { ...completion, files: () => files } };
    const { state } = pressed('@m', newEditor(), frame);
    expect(itemsOf(state)).toEqual([]);
    files = ['main.ts'];
    expect(itemsOf(refreshMenu(state, frame))).toEqual(['main.ts *']);
  });
});

test('without anything to complete Tab is for somebody else', () => {
  expect(pressed('hello<tab>', newEditor(), FRAME_WITH).effects).toEqual([{ kind: 'tab' }]);
});
