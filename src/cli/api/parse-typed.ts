/** A value in the type of its parameter, or what is wrong with it. */
type Typed =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'wrong'; readonly problem: string };

/**
 * Parses texts of the command line as a value of a type in the notation of operations. A list is given one by one or
 * with commas, an object as JSON. The operation itself checks whether the value fits exactly.
 */
export function parseTyped(type: string, texts: readonly string[]): Typed {
  const item = /^\((.+)\)\[\]$/.exec(type)?.[1] ?? /^([^|]+)\[\]$/.exec(type)?.[1];
  if (item !== undefined) return parseList(item, type, texts);
  const [text, second] = texts;
  if (text === undefined || second !== undefined) {
    return { kind: 'wrong', problem: 'was given more than once' };
  }
  return parseOne(type, text);
}

function parseList(item: string, type: string, texts: readonly string[]): Typed {
  const values: unknown[] = [];
  for (const text of texts.flatMap((some) => some.split(','))) {
    const typed = parseOne(item, text);
    if (typed.kind === 'wrong') return toWrong(type);
    values.push(typed.value);
  }
  return { kind: 'value', value: values };
}

function parseOne(type: string, text: string): Typed {
  for (const alternative of type.split(' | ')) {
    const parsed = readAs(alternative, text);
    if (parsed !== undefined) return { kind: 'value', value: parsed };
  }
  return toWrong(type);
}

function toWrong(type: string): Typed {
  return { kind: 'wrong', problem: `must be ${type}` };
}

/** The text as one type, or undefined. */
function readAs(type: string, text: string): unknown {
  switch (type) {
    case 'string':
    case 'unknown':
      return text;
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : undefined;
    case 'object':
      return findObject(text);
    default:
      return readWord(type, text);
  }
}

function readWord(type: string, text: string): unknown {
  if (/^\d+$/.test(type)) return text === type ? Number(text) : undefined;
  return type === `'${text}'` ? text : undefined;
}

function findObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined; // The message names the type that was expected.
  }
}
