import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';

/** How long a line and a headline stay alone on the screen, in milliseconds. */
const LINE_MS = 180;
const SCENE_MS = 1_200;
/** Nobody reads more of one line. */
const LINE_MAX = 144;

/** Where the story is told. */
export interface Screen {
  /** Begins a scene. */
  headline(text: string): Promise<void>;
  /** Tells in words what happens. */
  say(text: string): Promise<void>;
  /** Shows a request of a person or a provider. */
  request(text: string): Promise<void>;
  /** Shows an answer, line by line. */
  answer(...lines: readonly string[]): Promise<void>;
  fail(text: string): void;
}

/** A terminal: coloured where it can be, and at a pace that can be read unless `isFast`. */
export function createScreen(isFast: boolean): Screen {
  let scenes = 0;

  async function print(line: string, style: Style | undefined, pauseMs = LINE_MS): Promise<void> {
    process.stdout.write(`${paint(shorten(line), style, process.stdout)}\n`);
    if (!isFast) await sleep(pauseMs);
  }

  return {
    async headline(text) {
      scenes += 1;
      if (scenes > 1 && !isFast) await sleep(SCENE_MS);
      await print(`\n${scenes}. ${text}`, 'bold', SCENE_MS);
    },
    say: (text) => print(`   ${text}`, undefined),
    request: (text) => print(`   > ${text}`, 'cyan'),
    async answer(...lines) {
      for (const line of lines) await print(`     ${line}`, 'gray');
    },
    fail: (text) => void process.stderr.write(`\n${paint(text, 'red', process.stderr)}\n`),
  };
}

type Style = 'bold' | 'cyan' | 'gray' | 'red';

/** Plain where nobody looks at a terminal. */
function paint(text: string, style: Style | undefined, stream: NodeJS.WriteStream): string {
  return style === undefined ? text : styleText(style, text, { stream });
}

function shorten(line: string): string {
  return line.length > LINE_MAX ? `${line.slice(0, LINE_MAX - 1)}…` : line;
}
