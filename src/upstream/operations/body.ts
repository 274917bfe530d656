import { isFileInput } from './file-input.ts';
import { type FilePaths, type FormPart, readFormData, toFormParts } from './form-parts.ts';
import type { Fields, Operation } from './operation.ts';
import { compilePart, isFileType, isNamed, type Named, toName } from './part.ts';

/** A body as it goes over the wire: one of the two, or neither. */
export interface PreparedBody {
  /** JSON text. */
  readonly body: string | undefined;
  /** The fields of a form instead. */
  readonly form?: readonly FormPart[];
}

/** Checks the body of a call and turns it into what is sent. @throws TypeError naming the first field that is wrong. */
export function compileBody(
  { id, body: row, content = 'json' }: Operation,
  filePaths: FilePaths,
): (given: unknown) => PreparedBody {
  const label = `${id}: body`;
  const body = row ?? {};
  const check = compilePart(label, body);
  const fileNames = listFileNames(body);
  const findFile = (name: string, value: unknown) =>
    fileNames.includes(name) && isFileInput(value) ? value : undefined;

  function readFields(given: unknown): Named | undefined {
    if (given instanceof FormData) {
      if (content === 'json') throw new TypeError(`${label} cannot be a form`);
      return readFormData(label, given, body);
    }
    if (given === undefined || isNamed(given)) return given;
    throw new TypeError(`${label} must be an object`);
  }

  return (given) => {
    const fields = readFields(given);
    check(fields);
    if (fields === undefined || row === undefined) return { body: undefined };
    const isForm =
      content === 'multipart' ||
      given instanceof FormData ||
      fileNames.some((name) => fields[name] !== undefined);
    if (!isForm) return { body: JSON.stringify(fields) };
    return { body: undefined, form: toFormParts(label, fields, { findFile, filePaths }) };
  };
}

function listFileNames(body: Fields): string[] {
  return Object.entries(body)
    .filter(([, type]) => isFileType(type))
    .map(([written]) => toName(written));
}
