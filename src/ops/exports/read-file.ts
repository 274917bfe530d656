import type { Request } from 'express';
import { InvalidRequest } from '../http/errors.ts';
import { type Answer, type Problem, problem } from '../http/route.ts';
import { type EntryReading, type ExportEntry, readEntries } from './read-entries.ts';

/** Bytes of a file that a request brings. */
const FILE_BYTES_MAX = 100_000_000;

/** Takes the place of the one request with a file that may run, and gives what ends it; undefined: another has it. */
export type Reserve = () => (() => void) | undefined;

/** The answer to a request with a file while another one runs. */
export function fileTaken(): Answer<429, Problem> {
  return problem(429, 'too-many', 'Another file is being compared.');
}

/** True for a request that brings a file. */
export function hasFile({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Reads the people or groups of the file that a request brings.
 * @throws InvalidRequest as `readEntries`; for a compressed file, and one of more than `FILE_BYTES_MAX`
 */
export function readFileEntries(req: Request, reading: EntryReading): Promise<ExportEntry[]> {
  return readEntries(readFileBody(req), reading);
}

/**
 * Bytes of a request whose body is a file. The answer can be sent before all of them have come.
 * @throws InvalidRequest for a compressed file, and one of more than `FILE_BYTES_MAX`
 */
async function* readFileBody(req: Request): AsyncGenerator<Uint8Array> {
  const { 'content-encoding': encoding = 'identity', 'content-length': length } = req.headers;
  if (encoding !== 'identity') throw new InvalidRequest('Send the file as it is, not compressed.');
  let came = Number(length ?? 0);
  if (came > FILE_BYTES_MAX) throw tooLarge();
  came = 0;
  for await (const bytes of listChunks(req)) {
    came += bytes.length;
    if (came > FILE_BYTES_MAX) throw tooLarge();
    yield bytes;
  }
}

async function* listChunks(req: Request): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of req.iterator({ destroyOnReturn: false })) yield parseChunk(chunk);
  } catch (error) {
    // Its sender has gone, which is no fault of the bridge.
    if (req.destroyed) throw new InvalidRequest('The file did not come as a whole.');
    throw error;
  }
}

/** A request without an encoding gives bytes. */
function parseChunk(chunk: unknown): Uint8Array {
  return chunk as Uint8Array;
}

function tooLarge(): InvalidRequest {
  return new InvalidRequest(`The file has more than ${FILE_BYTES_MAX} bytes.`);
}
