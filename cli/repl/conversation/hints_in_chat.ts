/** What hints of the command line say, and what one does here instead. */
const HERE: readonly (readonly [RegExp, string])[] = [
  [/--model demo/g, '/model demo'],
  [/run: cognition show --ids, or cognition leaves/, 'see them with: /tree --ids, or /leaves'],
  [/run: cognition show <tree> *\(it draws the nodes with their ids\)/, 'see them with: /tree --ids'],
  [
    /run: cognition list *\(--archived for hidden ones\)/,
    'see them with: /list, or /list --archived; start one with: /new',
  ],
  [/run: cognition list$/, 'see them with: /list'],
  [/run: cognition mark [0-9a-f]{8}/, 'see them with: /mark'],
  [/cognition mark <tree> <name>/, '/mark <name>'],
  [/Start one with: cognition new/, 'Start one with: /new'],
  [/^wait for the step under way, or .*/, 'wait for the step under way; Esc ends the turn and brings all of it back'],
  [/^list (them|those of a tree): loom\.turn_list/, 'see what there is with: /list; start one with: /new'],
  [/^set a valid key for (\w+)/, 'leave, set a valid key for $1, and come back with: cognition chat @'],
  [/cognition show --help/, '/tree --help'],
  [/cognition (context|export|compare|mark|rename|cost|log|list|search) --help/, '/$1 --help'],
  [/cognition output (?=[0-9a-f<])/, '/output '],
  [/go on with the conversation first: cognition ask @ "message"/, 'go on with the conversation first'],
  [/cognition ask (?:@ )?--continue/, '/retry'],
];

/** A hint of the command line, as one follows it here. */
export function hintHere(hint: string): string {
  return HERE.reduce((text, [there, here]) => text.replace(there, here), hint);
}
