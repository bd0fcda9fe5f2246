/** The shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// Each asks the program itself at every Tab, so that the scripts never grow old. A line that is `:files` asks for files.
const SCRIPTS: Record<Shell, string> = {
  bash: `_cognition() {
  local word quoted
  # As they are meant: readline gives words with their backslashes.
  local typed=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r word; do
    if [ "$word" = ':files' ]; then
      compopt -o default
    else
      printf -v quoted '%q' "$word"
      COMPREPLY+=("$quoted")
    fi
  done < <(cognition completion --complete -- "\${typed[@]//\\\\/}" 2>/dev/null)
}
complete -F _cognition cognition
`,
  zsh: `#compdef cognition
_cognition() {
  local -a words_found
  words_found=("\${(@f)$(cognition completion --complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${words_found[(Ie):files]} )); then
    _files
    words_found=("\${(@)words_found:#:files}")
  fi
  words_found=("\${(@)words_found:#}")
  compadd -a words_found
}
if [ "\${funcstack[1]}" = '_cognition' ]; then _cognition; else compdef _cognition cognition; fi
`,
  fish: `function __cognition_complete
    for word in (cognition completion --complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
        if test "$word" = ':files'
            __fish_complete_path (commandline -ct)
        else
            echo $word
        end
    end
end
complete -c cognition -f -a '(__cognition_complete)'
`,
};

/** The script that makes a shell complete the words of this program. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}
