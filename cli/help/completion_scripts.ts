/** The shells that have a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

// Each asks the program itself at every Tab, so that the scripts never grow old. A line that is `:files` asks for files.
const SCRIPTS: Record<Shell, string> = {
  bash: `_cognition() {
  local line=\${COMP_LINE:0:COMP_POINT} word='' quote='' kept='' char i
  local -a typed=()
  # The words as they are meant. \`kept\` is what readline leaves alone: it begins anew behind a quote, a colon or an equals sign.
  for ((i = 0; i < \${#line}; i++)); do
    char=\${line:i:1}
    if [ "$char" = \\\\ ] && [ "$quote" != "'" ]; then
      i=$((i + 1))
      word+=\${line:i:1}
    elif [ -n "$quote" ]; then
      if [ "$char" = "$quote" ]; then quote=''; else word+=$char; fi
    elif [ "$char" = "'" ] || [ "$char" = '"' ]; then
      quote=$char kept=$word
    elif [ "$char" = ' ' ] || [ "$char" = $'\\t' ]; then
      [ -z "$word" ] || typed+=("$word")
      word='' kept=''
    else
      word+=$char
      case $char in [:=]) [[ $COMP_WORDBREAKS != *"$char"* ]] || kept=$word ;; esac
    fi
  done
  typed+=("$word")
  COMPREPLY=()
  while IFS= read -r word; do
    if [ "$word" = ':files' ]; then
      compopt -o default
    else
      word=\${word#"$kept"}
      if [ -z "$quote" ]; then
        printf -v word '%q' "$word"
      elif [[ $word == *[\\\\\\"\\'\\$\\\`\\!]* ]]; then
        # Within quotes part of a name could be run, and it may have come from elsewhere.
        continue
      fi
      COMPREPLY+=("$word")
    fi
  done < <(cognition completion --complete -- "\${typed[@]:1}" 2>/dev/null)
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
            printf '%s\\n' $word
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
