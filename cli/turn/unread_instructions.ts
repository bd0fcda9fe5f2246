interface Instructions {
  cut: readonly string[];
  refused: readonly string[];
}

/** Says of files of instructions that a model is not told them, or not all of them: a line for each reason. */
export function unreadInstructions({ cut, refused }: Instructions): string[] {
  const lead = refused.length === 1 ? 'it leads' : 'they lead';
  return [
    ...(cut.length === 0 ? [] : [`cut: ${cut.join(', ')}, because a model is told at most 32 KiB of a file`]),
    ...(refused.length === 0
      ? []
      : [`not read: ${refused.join(', ')}, because ${lead} out of the project or to what is hidden`]),
  ];
}
