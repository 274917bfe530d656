import { parseDocument } from 'yaml';
import type { SettingProblem } from './errors.ts';
import { isTree, type Tree, withoutEmpty } from './tree.ts';

/** Reads and parses the YAML file; without a path, and where there is a problem with it, it sets nothing. */
export function readConfigFile(
  path: string | undefined,
  readFile: (path: string) => string,
  onProblem: (problem: SettingProblem) => void,
): Tree {
  if (path === undefined) return {};
  const refuse = (why: string, cause?: unknown) =>
    onProblem({ setting: path, message: `The settings file ${path} ${why}.`, cause });
  try {
    const document = parseDocument(readFile(path));
    const [error] = document.errors;
    const content: unknown = error === undefined ? (toContent(document) ?? {}) : {};
    if (isTree(content) && error === undefined) return withoutEmpty(content);
    // Neither the parser's message nor the error is kept: both quote the file, which may hold secrets.
    const { line, col } = error?.linePos?.[0] ?? { line: 1, col: 1 };
    refuse(
      error === undefined
        ? 'must hold settings by name'
        : `is no valid YAML at line ${line}, column ${col} (${error.code})`,
    );
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    refuse(`cannot be read: ${why}`, cause);
  }
  return {};
}

function toContent(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    // An alias without an anchor, or too many of them; its message would quote the value.
    return 'unreadable';
  }
}
