/**
 * The name of a model as Anthropic has it, from that of a cloud: `us.anthropic.claude-sonnet-4-5-20250929-v1:0` and
 * `claude-sonnet-4-5@20250929` are both `claude-sonnet-4-5-20250929`. Other names stay as they are.
 */
export function plainModelName(model: string): string {
  const name = /^arn:aws/.test(model) ? model.slice(model.lastIndexOf('/') + 1) : model;
  if (!/^(([a-z-]+\.)?anthropic\.)?claude-/.test(name)) return model;
  return name
    .replace(/^([a-z-]+\.)?anthropic\./, '')
    .replace(/-v\d+(:\d+)?(:\d+k)?$/, '')
    .replace('@', '-');
}
