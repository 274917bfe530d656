import type { SentCall } from '../../ops/api/parse-call.ts';

type Files = NonNullable<SentCall['files']>;

/** Arguments of a call in the form that the bridge takes: files travel beside the body, as base64. */
export async function toSentCall(args: unknown): Promise<SentCall> {
  const { path, query, body = {}, everything } = parseArgs(args);
  const files: Files = {};
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const list = listFiles(value);
    if (list.length === 0) fields[name] = value;
    else files[name] = await Promise.all(list.map(toSentFile));
  }
  return {
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(Object.keys(fields).length === 0 ? {} : { body: fields }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
    ...(everything === undefined ? {} : { everything }),
  };
}

function listFiles(value: unknown): File[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => item instanceof File);
}

async function toSentFile(file: File): Promise<Files[string][number]> {
  const content = Buffer.from(await file.arrayBuffer()).toString('base64');
  return { content, name: file.name };
}

/** The command itself made them, so their shape is known. */
function parseArgs(args: unknown): Omit<SentCall, 'files'> {
  return args as Omit<SentCall, 'files'>;
}
