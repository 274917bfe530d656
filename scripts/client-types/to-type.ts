/** The TypeScript type of an argument in the notation of operations. */
export function toArgumentType(type: string): string {
  return toType(type, 'object', 'readonly ');
}

/** The TypeScript type of an answer's field in the notation of operations. */
export function toAnswerType(type: string): string {
  return toType(type, 'Record<string, unknown>', '');
}

function toType(type: string, object: string, list: 'readonly ' | ''): string {
  const group = /^\(([^()]+)\)\[\]$/.exec(type)?.[1];
  if (group !== undefined) return `${list}(${toType(group, object, list)})[]`;
  const words = type.split(' | ').map((one) => {
    const item = /^(.+)\[\]$/.exec(one)?.[1];
    if (item !== undefined) return `${list}${toType(item, object, list)}[]`;
    const names: Readonly<Record<string, string>> = {
      integer: 'number',
      object,
      file: 'FileInput',
    };
    // Words, numbers, and names that TypeScript has too.
    return names[one] ?? one;
  });
  return words.join(' | ');
}

/** The name of a property as it is written in a type. */
export function toKey(name: string): string {
  return /^[a-zA-Z_]\w*$/.test(name) ? name : `'${name}'`;
}

/** `SpacesCreateNewSpace` of `spaces.createNewSpace`. */
export function toPascal(id: string): string {
  return id.replace(/(?:^|\.)\w/g, (start) => start.slice(-1).toUpperCase());
}
