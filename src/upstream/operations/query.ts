import type { Operation } from './operation.ts';

/** Encoding of arrays and objects of one operation in a query. */
type Styles = NonNullable<Operation['queryStyle']>;

/** A writer of query strings, `?` included; '' when there is nothing to say. Undefined values are left out. */
export function compileQuery(
  id: string,
  styles: Styles,
): (query: Readonly<Record<string, unknown>>) => string {
  return (query) => {
    let text = '';
    for (const name of Object.keys(query)) {
      const value = query[name];
      if (value === undefined) continue;
      for (const pair of toPairs(`${id}: query.${name}`, name, value, styles[name])) {
        text += `${text === '' ? '?' : '&'}${pair}`;
      }
    }
    return text;
  };
}

function toPairs(
  label: string,
  name: string,
  value: unknown,
  style: Styles[string] = 'comma',
): string[] {
  if (style === 'json') return [toPair(name, JSON.stringify(value))];
  if (style === 'base64-json' && typeof value === 'object') {
    return [toPair(name, Buffer.from(JSON.stringify(value)).toString('base64'))];
  }
  if (!Array.isArray(value)) return [toPair(name, toText(label, value))];
  const texts = value.map((item) => toText(label, item));
  return style === 'brackets'
    ? texts.map((text) => toPair(`${name}[]`, text))
    : [toPair(name, texts.join(','))];
}

function toPair(name: string, text: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
}

function toText(label: string, value: unknown): string {
  if (typeof value === 'object') throw new TypeError(`${label} cannot travel in a query`);
  const text = String(value);
  if (!text.isWellFormed()) throw new TypeError(`${label} is not well-formed text`);
  return text;
}
