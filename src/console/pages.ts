import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type RequestHandler, type Response, Router } from 'express';
import { createSignIn, type SignInDeps } from './sign-in.ts';

/** Path of the console on the operators' listener. */
export const CONSOLE_PATH = '/console';

/** Serves the console: signing in, and its pages. Everything else that they show comes from `/ops`. */
export function createConsole(deps: SignInDeps): Router {
  const router = Router().use(createSignIn(deps));
  if (deps.oidc !== undefined) router.use(deps.oidc.router);
  return router.use(createPages());
}

/** Folder of the built pages; the same from the sources and from the built program. */
const FOLDER = join(import.meta.dirname, '../../dist/console/ui');
/** Place of the nonce of the style elements in the page. */
const NONCE = '__NONCE__';

/** Serves the pages of the console. Every address that is no asset is the one page, which reads the address itself. */
function createPages(): Router {
  let reading: Promise<string | undefined> | undefined;
  const router = Router();
  router.get('/assets/:name', sendAsset);
  router.get('/{*page}', async (_req, res) => {
    reading ??= readPage();
    const page = await reading;
    if (page === undefined) {
      const message = 'The console is not built: run npm run build, and start the bridge again.';
      res.status(503).type('text/plain').send(message);
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    protect(res, nonce);
    res.set('Cache-Control', 'no-store').type('text/html').send(page.replaceAll(NONCE, nonce));
  });
  return router;
}

/** Reads the page; undefined when nothing is built. @throws an error of the file system for everything else */
async function readPage(): Promise<string | undefined> {
  try {
    return await readFile(join(FOLDER, 'index.html'), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const ENDS = { br: '.br', gzip: '.gz' } as const;

/** Assets have the hash of their content in their names, so that they may be kept for ever. */
const sendAsset: RequestHandler<{ name: string }> = (req, res) => {
  const { name } = req.params;
  const encoding = (['br', 'gzip'] as const).find((one) => req.acceptsEncodings(one) === one);
  res.type(extname(name)).vary('Accept-Encoding');
  if (encoding !== undefined) res.set('Content-Encoding', encoding);
  const file = `${name}${encoding === undefined ? '' : ENDS[encoding]}`;
  const options = { root: join(FOLDER, 'assets'), immutable: true, maxAge: '1y' };
  res.sendFile(file, options, (error?: Error) => {
    if (error === undefined || res.headersSent) return;
    res.removeHeader('Content-Encoding');
    res.status(404).type('text/plain').send('There is no such file: load the page again.');
  });
};

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
