import { parseDocument } from 'yaml';
import type { SettingProblem } from './errors.ts';
import { isTree, type Tree, withoutEmpty } from './tree.ts';

/** Settings of a YAML file; empty when there is a problem with it. */
interface ConfigFileReading {
  readonly tree: Tree;
  readonly problems: readonly SettingProblem[];
}

/** Reads and parses the YAML file; without a path it sets nothing. */
export function readConfigFile(
  path: string | undefined,
  readFile: (path: string) => string,
): ConfigFileReading {
  if (path === undefined) return { tree: {}, problems: [] };
  try {
    return parseConfig(path, readFile(path));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The settings file ${path} cannot be read: ${why}.`;
    return { tree: {}, problems: [{ setting: path, message, cause }] };
  }
}

function parseConfig(path: string, text: string): ConfigFileReading {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) {
    // Neither the parser's message nor the error is kept: both quote the file, which may hold secrets.
    const { line, col } = error.linePos?.[0] ?? { line: 1, col: 1 };
    return refuse(path, `is no valid YAML at line ${line}, column ${col} (${error.code})`);
  }
  const content: unknown = toContent(document) ?? {};
  if (!isTree(content)) return refuse(path, 'must hold settings by name');
  return { tree: withoutEmpty(content), problems: [] };
}

function toContent(document: ReturnType<typeof parseDocument>): unknown {
  try {
    return document.toJS();
  } catch {
    // An alias without an anchor, or too many of them; its message would quote the value.
    return 'unreadable';
  }
}

function refuse(path: string, why: string): ConfigFileReading {
  const message = `The settings file ${path} ${why}.`;
  return { tree: {}, problems: [{ setting: path, message }] };
}
