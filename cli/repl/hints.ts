/** What hints of the command line say, and what one does here instead. */
const HERE: readonly (readonly [RegExp, string])[] = [
  [/--model demo/g, '/model demo'],
  [/run: cognition show --ids, or cognition leaves/, 'see them with: /tree --ids, or /leaves'],
  [/run: cognition show <tree> *\(it draws the nodes with their ids\)/, 'see them with: /tree --ids'],
  [
    /run: cognition list *\(--archived for hidden ones\)/,
    'see them with: /list, or /list --archived; start one with: /new',
  ],
  [/cognition show --help/, '/tree --help'],
  [/cognition (context|export|compare|mark|rename|cost|log|list|search) --help/, '/$1 --help'],
  [/cognition output (?=[0-9a-f<])/, '/output '],
  [/cognition ask (?:@ )?--continue/, '/retry'],
];

/** A hint of the command line, as one follows it here. */
export function hintHere(hint: string): string {
  return HERE.reduce((text, [there, here]) => text.replace(there, here), hint);
}
