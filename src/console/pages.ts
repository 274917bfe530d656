import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { createSignIn, type SignInDeps } from './sign-in.ts';

/** Path of the console on the operators' listener. */
export const CONSOLE_PATH = '/console';

/** Serves the console: signing in, and its pages. Everything else that they show comes from `/ops`. */
export function createConsole(deps: SignInDeps): Router {
  const router = Router().use(createSignIn(deps));
  if (deps.oidc !== undefined) router.use(deps.oidc.router);
  return router.use(createPages());
}

/** Assets have the hash of their content in their names. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * Serves the pages of the console. Every address that is no asset is the one page, which reads the address itself. The
 * files are read once, at the first request.
 */
function createPages(): Router {
  let reading: Promise<ConsoleFiles | undefined> | undefined;
  const read = () => {
    reading ??= readConsoleFiles();
    return reading;
  };
  const router = Router();
  router.get('/assets/:name', sendAsset(read));
  router.get('/{*page}', sendPage(read));
  return router;
}

type ReadFiles = () => Promise<ConsoleFiles | undefined>;

function sendAsset(read: ReadFiles): RequestHandler<{ name: string }> {
  return async (req, res) => {
    const file = (await read())?.assets.get(req.params.name);
    if (file === undefined) {
      res.status(404).type('text/plain').send('There is no such file: load the page again.');
      return;
    }
    const [encoding, body] = choose(req, file);
    res.set({ 'Content-Type': file.type, 'Cache-Control': IMMUTABLE, Vary: 'Accept-Encoding' });
    if (encoding !== undefined) res.set('Content-Encoding', encoding);
    res.send(body);
  };
}

function choose(req: Pick<Request, 'acceptsEncodings'>, file: ConsoleFile) {
  const { plain, brotli, gzip } = file;
  if (brotli && req.acceptsEncodings('br') === 'br') return ['br', brotli] as const;
  if (gzip && req.acceptsEncodings('gzip') === 'gzip') return ['gzip', gzip] as const;
  return [undefined, plain] as const;
}

function sendPage(read: ReadFiles): RequestHandler {
  return async (_req, res) => {
    const files = await read();
    if (files === undefined) {
      const message = 'The console is not built: run npm run build, and start the bridge again.';
      res.status(503).type('text/plain').send(message);
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    protect(res, nonce);
    res.set('Cache-Control', 'no-store').type('text/html');
    res.send(files.index.replaceAll(NONCE, nonce));
  };
}

/** Only our own files run, nothing leaves the origin, and no other page may frame this one. */
function protect(res: Response, nonce: string): void {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  res.set({
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Frame-Options': 'DENY',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  });
}

/** Folder of the built pages; the same from the sources and from the built program. */
const FOLDER = join(import.meta.dirname, '../../dist/console/ui');

/** One built file, plain and compressed. */
interface ConsoleFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** The built pages. */
interface ConsoleFiles {
  /** Page that loads everything else, with `NONCE` where the nonce belongs. */
  readonly index: string;
  /** By name; the name changes with the content. */
  readonly assets: ReadonlyMap<string, ConsoleFile>;
}

/** Place of the nonce of the style elements in the page. */
const NONCE = '__NONCE__';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** Reads the built pages; undefined when nothing is built. @throws an error of the file system for everything else */
async function readConsoleFiles(folder = FOLDER): Promise<ConsoleFiles | undefined> {
  const index = await readOptional(join(folder, 'index.html'));
  if (index === undefined) return undefined;
  const assets = new Map<string, ConsoleFile>();
  for (const name of await readdir(join(folder, 'assets'))) {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (type === undefined) continue;
    const path = join(folder, 'assets', name);
    assets.set(name, {
      type,
      plain: await readFile(path),
      brotli: await readOptional(`${path}.br`),
      gzip: await readOptional(`${path}.gz`),
    });
  }
  return { index: index.toString('utf8'), assets };
}

async function readOptional(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
