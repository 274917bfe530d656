import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const COMMENT_OR_TEXT =
  /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** A file of the source as a test of a document reads it. */
export interface SourceFile {
  /** From the root of the project. */
  readonly path: string;
  /** The text without comments: a word in a comment is no use. */
  readonly code: string;
}

/** Reads the source of the bridge without its tests. */
export function readSources(): SourceFile[] {
  return globSync('src/**/*.ts', { cwd: root })
    .filter((path) => !path.endsWith('.test.ts'))
    .toSorted()
    .map((path) => ({ path, code: withoutComments(readFileSync(join(root, path), 'utf8')) }));
}

function withoutComments(text: string): string {
  return text.replaceAll(COMMENT_OR_TEXT, (part) => (part.startsWith('/') ? '' : part));
}
