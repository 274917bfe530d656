import { Argument, type Command } from 'commander';
import type { AddCommand } from './context.ts';

/** Shells that a script can be made for. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `completion`: prints a script with which a shell completes commands and options. */
export const addCompletionCommand: AddCommand = (program, { write }) => {
  const command = program.command('completion');
  command
    .description('print a script with which bash, zsh or fish completes commands and options')
    .addArgument(new Argument('<shell>', 'for this shell').choices(SHELLS))
    .addHelpText('after', help)
    .action((shell: (typeof SHELLS)[number]) => write(SCRIPTS[shell](listPlaces(program))));
};

const help = `
  bash   source <(scim-bridge completion bash)
  zsh    scim-bridge completion zsh > "\${fpath[1]}/_scim-bridge"
  fish   scim-bridge completion fish > ~/.config/fish/completions/scim-bridge.fish`;

/** Word that may follow, with what it means. */
interface Word {
  readonly text: string;
  readonly meaning: string;
}

/** Place in a command line, such as `token create` or `drifts --status`, and the words that may follow it. */
interface Place {
  readonly path: string;
  readonly words: readonly Word[];
  /** True behind an option that takes a value: the next word is in the place before again. */
  readonly isValue: boolean;
}

/** Lists every place of the command line. */
function listPlaces(command: Command, path = ''): Place[] {
  const join = (word: string) => (path === '' ? word : `${path} ${word}`);
  const help = command.createHelp();
  const options = help.visibleOptions(command);
  const words = [
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map(toWord)),
    ...help
      .visibleCommands(command)
      .map((child) => ({ text: child.name(), meaning: toMeaning(child.description()) })),
    ...options.flatMap(({ long, description }) =>
      long ? [{ text: long, meaning: toMeaning(description) }] : [],
    ),
  ];
  const values = options.flatMap(({ long, required, argChoices = [] }): Place[] =>
    long && required ? [{ path: join(long), words: argChoices.map(toWord), isValue: true }] : [],
  );
  const children = command.commands.map((child) => listPlaces(child, join(child.name())));
  return [{ path, words, isValue: false }, ...values, ...children.flat()];
}

function toWord(text: string): Word {
  return { text, meaning: text };
}

/** A description without what a shell would read as its own. */
function toMeaning(text: string): string {
  return text
    .replaceAll(/['"`$\\:[\]]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function toBash(places: readonly Place[]): string {
  return `# Completion of scim-bridge for bash: source <(scim-bridge completion bash)
_scim_bridge() {
  local cur place='' words='' i
  cur=\${COMP_WORDS[COMP_CWORD]}
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${place:+$place }\${COMP_WORDS[i]}" in
${toSteps(places, (path) => `      '${path}') place='${path}' ;;`)}
    esac
  done
  case "\${place:+$place }\${COMP_WORDS[COMP_CWORD-1]}" in
${toValues(places, (path) => `    '${path}') place='${path}' ;;`)}
  esac
  case "$place" in
${places.map(({ path, words }) => `    '${path}') words='${toTexts(words)}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _scim_bridge scim-bridge
`;
}

function toZsh(places: readonly Place[]): string {
  return `#compdef scim-bridge
# Completion of scim-bridge for zsh.
_scim_bridge() {
  local place='' word
  local -a follow
  for word in \${words[2,CURRENT-1]}; do
    case "\${place:+$place }$word" in
${toSteps(places, (path) => `      '${path}') place='${path}' ;;`)}
    esac
  done
  case "\${place:+$place }\${words[CURRENT-1]}" in
${toValues(places, (path) => `    '${path}') place='${path}' ;;`)}
  esac
  case "$place" in
${places.map(({ path, words }) => `    '${path}') follow=(${toDescribed(words)}) ;;`).join('\n')}
  esac
  _describe 'scim-bridge' follow || _files
}
_scim_bridge "$@"
`;
}

function toFish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, words }) => {
    const here = `complete -c scim-bridge -n 'test "$(__scim_bridge_place)" = "${path}"'`;
    // Where a command has to follow, no file can.
    const isOpen = words.some(({ text }) => !text.startsWith('-') && text !== 'help');
    return [
      ...(isOpen ? [`${here} -f`] : []),
      ...words.map(({ text, meaning }) => `${here} -a '${text}' -d '${meaning}'`),
    ];
  });
  return `# Completion of scim-bridge for fish.
function __scim_bridge_place
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch (string trim "$place $word")
${toSteps(places, (path) => `      case '${path}'\n        set place '${path}'`)}
    end
  end
  switch (string trim "$place "(commandline -opc)[-1])
${toValues(places, (path) => `    case '${path}'\n      set place '${path}'`)}
  end
  echo -n "$place"
end
${lines.join('\n')}
`;
}

/** Maker of the script for each shell. */
const SCRIPTS = { bash: toBash, zsh: toZsh, fish: toFish };

function toSteps(places: readonly Place[], toStep: (path: string) => string): string {
  const commands = places.filter(({ path, isValue }) => path !== '' && !isValue);
  return commands.map(({ path }) => toStep(path)).join('\n');
}

function toValues(places: readonly Place[], toStep: (path: string) => string): string {
  return places.flatMap(({ path, isValue }) => (isValue ? [toStep(path)] : [])).join('\n');
}

function toTexts(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

function toDescribed(words: readonly Word[]): string {
  return words.map(({ text, meaning }) => `'${text}:${meaning}'`).join(' ');
}
