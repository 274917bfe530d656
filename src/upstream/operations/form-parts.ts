import type { FileInput } from './file-input.ts';
import type { Fields } from './operation.ts';
import { type Named, toName } from './part.ts';

/** One field of a form. */
export type FormPart =
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'file'; readonly name: string; readonly file: FileInput };

/**
 * Treatment of text as the path of a local file. `refuse` where the arguments come from another party, who could read
 * any file then.
 */
export type FilePaths = 'read' | 'refuse';

/** The finder of files in a form, with the treatment of paths. */
export interface FormFiles {
  readonly findFile: (name: string, value: unknown) => FileInput | undefined;
  readonly filePaths: FilePaths;
}

/** The fields of a form one by one; a list is as many fields of its name. @throws TypeError for a path where none may be. */
export function toFormParts(
  label: string,
  fields: Named,
  { findFile, filePaths }: FormFiles,
): FormPart[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values: unknown[] = Array.isArray(value) ? value : [value];
    return values.map((item): FormPart => {
      const file = findFile(name, item);
      if (file === undefined) return { kind: 'text', name, text: toText(item) };
      if (filePaths === 'refuse') assertNoPath(`${label}.${name}`, file);
      return { kind: 'file', name, file };
    });
  });
}

/** The fields of a given form. @throws TypeError for text where a file belongs: text in a form is never a path. */
export function readFormData(label: string, form: FormData, fields: Fields): Named {
  const types = new Map(Object.entries(fields).map(([written, type]) => [toName(written), type]));
  const values: Record<string, unknown> = {};
  for (const name of new Set(form.keys())) {
    const type = types.get(name) ?? '';
    const entries = form.getAll(name);
    if (type.startsWith('file') && entries.some((entry) => typeof entry === 'string')) {
      throw new TypeError(`${label}.${name} must be ${type}`);
    }
    // A name given twice where one is expected stays a list, which its type refuses.
    values[name] = type.endsWith('[]') || entries.length > 1 ? entries : entries[0];
  }
  return values;
}

/** @throws TypeError for a file that is named by its path. */
function assertNoPath(label: string, file: FileInput): void {
  const isWrapped = typeof file === 'object' && 'content' in file;
  if (typeof (isWrapped ? file.content : file) === 'string') {
    throw new TypeError(`${label} must be the file itself, not a path`);
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
