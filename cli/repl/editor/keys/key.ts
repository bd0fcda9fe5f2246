/** What a person did at the keyboard. */
export type Key = KeyPress | { kind: 'text'; text: string } | { kind: 'paste'; text: string };

/** A key that inserts nothing by itself. Letters are named in lower case; `shift` tells them apart. */
export interface KeyPress {
  kind: 'key';
  name: string;
  ctrl: boolean;
  alt: boolean;
  shift: boolean;
}
