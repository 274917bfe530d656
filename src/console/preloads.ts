import type { FirstLoad } from './files.ts';

/**
 * Elements that have the browser load what a page needs first, all at once. Reads below `/ops` are among them where
 * somebody is signed in, and no filter in the address asks for others.
 * @param at address below the console
 */
export function toPreloads(
  pages: readonly FirstLoad[],
  at: { readonly path: string; readonly url: string },
  isSignedIn: boolean,
): string {
  const [page, id] = findPage(pages, at.path);
  const reads = isSignedIn && !at.url.includes('?') ? (page?.reads ?? []) : [];
  return [
    ...(page?.scripts ?? []).map(
      (name) => `<link rel="modulepreload" crossorigin href="/console/${name}">`,
    ),
    ...['/console/session', ...reads.map((read) => `/ops${read.replace('{id}', id)}`)].map(
      (path) =>
        `<link rel="preload" as="fetch" crossorigin href="${path.replaceAll('&', '&amp;')}">`,
    ),
  ].join('\n');
}

/** The page of an address, with its id as browsers write it in addresses. */
function findPage(pages: readonly FirstLoad[], path: string): [FirstLoad | undefined, string] {
  const [, kind, id = ''] = path.split('/');
  const wanted = id === '' ? `/${kind}` : `/${kind}/{id}`;
  const page = pages.find((each) => each.path === wanted);
  return [page, encodeURIComponent(decodeURIComponent(id))];
}
