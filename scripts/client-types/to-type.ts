/** The TypeScript type of an argument in the notation of operations. */
export function toArgumentType(type: string): string {
  return toType(type, { object: 'object', list: (item) => `readonly ${item}[]` });
}

/** The TypeScript type of an answer's field in the notation of operations. */
export function toAnswerType(type: string): string {
  return toType(type, { object: 'Record<string, unknown>', list: (item) => `${item}[]` });
}

interface Dialect {
  readonly object: string;
  readonly list: (item: string) => string;
}

function toType(type: string, dialect: Dialect): string {
  const group = /^\(([^()]+)\)\[\]$/.exec(type)?.[1];
  if (group !== undefined) return dialect.list(`(${toType(group, dialect)})`);
  return type
    .split(' | ')
    .map((one) => toSingle(one, dialect))
    .join(' | ');
}

function toSingle(type: string, dialect: Dialect): string {
  const item = /^(.+)\[\]$/.exec(type)?.[1];
  if (item !== undefined) return dialect.list(toSingle(item, dialect));
  switch (type) {
    case 'integer':
      return 'number';
    case 'object':
      return dialect.object;
    case 'file':
      return 'FileInput';
    default:
      return type; // Words, numbers, and names that TypeScript has too.
  }
}

/** The name of a property as it is written in a type. */
export function toKey(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`;
}

/** `SpacesCreateNewSpace` of `spaces.createNewSpace`. */
export function toPascal(id: string): string {
  return id.replace(/(?:^|\.)\w/g, (start) => start.slice(-1).toUpperCase());
}
