import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** A remark of the compiler on a line of a file; `isStruckOut` as an editor shows what is deprecated. */
export interface EditorRemark {
  readonly text: string;
  readonly isStruckOut: boolean;
}

/** An editor that has one file open, with TypeScript's own language server behind it. */
export interface Editor {
  /** Text that is shown for the first place where the word stands. */
  hover(word: string): Promise<string>;
  remarks(): Promise<EditorRemark[]>;
  close(): void;
}

const answered = z.object({ id: z.number(), result: z.unknown(), error: z.unknown().optional() });
const asked = z.object({ id: z.union([z.number(), z.string()]), method: z.string() });
const hovered = z.object({ contents: z.object({ value: z.string() }) }).nullable();
const reported = z.object({
  items: z.array(z.object({ message: z.string(), tags: z.array(z.number()).default([]) })),
});
const DEPRECATED = 2;

/** Opens a file of a project as an editor does. */
export async function openEditor(root: string, path: string): Promise<Editor> {
  const server = spawn(join(root, 'node_modules/.bin/tsc'), ['--lsp', '--stdio']);
  const connection = connect(server);
  const text = readFileSync(path, 'utf8');
  const uri = pathToFileURL(path).href;
  const diagnostic = { tagSupport: { valueSet: [1, DEPRECATED] } };
  const hover = { contentFormat: ['markdown'] };
  await connection.ask('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { hover, diagnostic } },
  });
  connection.tell('initialized', {});
  connection.tell('textDocument/didOpen', {
    textDocument: { uri, languageId: 'typescript', version: 1, text },
  });
  return {
    async hover(word) {
      const before = text.slice(0, text.indexOf(word)).split('\n');
      const position = { line: before.length - 1, character: (before.at(-1) ?? '').length };
      const params = { textDocument: { uri }, position };
      return (
        hovered.parse(await connection.ask('textDocument/hover', params))?.contents.value ?? ''
      );
    },
    async remarks() {
      const params = { textDocument: { uri } };
      const { items } = reported.parse(await connection.ask('textDocument/diagnostic', params));
      return items.map(({ message, tags }) => ({
        text: message,
        isStruckOut: tags.includes(DEPRECATED),
      }));
    },
    close: () => void server.kill(),
  };
}

interface Connection {
  ask(method: string, params: object): Promise<unknown>;
  tell(method: string, params: object): void;
}

/** JSON-RPC with `Content-Length` headers, as the protocol of language servers has it. */
function connect(server: ChildProcessWithoutNullStreams): Connection {
  const waiting = new Map<number, (result: unknown) => void>();
  let rest = Buffer.alloc(0);
  let count = 0;

  const send = (message: object) => {
    const json = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`);
  };
  const receive = (message: unknown) => {
    const request = asked.safeParse(message);
    if (request.success) return send({ id: request.data.id, result: null });
    const answer = answered.safeParse(message);
    if (answer.success) waiting.get(answer.data.id)?.(answer.data.result);
  };
  server.stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (let message = cutMessage(rest); message !== undefined; message = cutMessage(rest)) {
      rest = rest.subarray(message.end);
      receive(JSON.parse(message.json));
    }
  });
  return {
    tell: (method, params) => send({ method, params }),
    ask(method, params) {
      count += 1;
      const id = count;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        send({ id, method, params });
      });
    },
  };
}

function cutMessage(bytes: Buffer): { json: string; end: number } | undefined {
  const [head, length] =
    /^Content-Length: (\d+)\r\n(?:[^\r]+\r\n)*\r\n/.exec(bytes.toString('latin1')) ?? [];
  if (head === undefined) return undefined;
  const end = head.length + Number(length);
  return bytes.length < end ? undefined : { json: bytes.toString('utf8', head.length, end), end };
}
