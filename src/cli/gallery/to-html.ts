import type { CheckResult, Evidence, GalleryReport } from './report.ts';

/** Writes a report as one page that needs nothing else: no script, no image, no other address. */
export function toHtml(report: GalleryReport): string {
  const { title, baseUrl, bridge, provider, profile, startedAt, endedAt, summary, checks } = report;
  const facts = [
    ['asked', baseUrl],
    ['bridge', `scim-bridge ${bridge.version}, ${bridge.mode}`],
    ['credential', `of the provider ${provider}, ${profile}`],
    ['from, to', `${startedAt}, ${endedAt}`],
    ['result', `${summary.ok} ok, ${summary.failed} failed, ${summary.skipped} skipped`],
    ['afterwards', toCleanUpText(report)],
  ];
  const rows = facts.map(([head = '', text = '']) => `<tr><th>${toSafe(head)}<td>${toSafe(text)}`);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>${toSafe(title)}</title>
<style>${STYLE}</style>
<h1>${toSafe(title)}</h1>
<table>
${rows.join('\n')}
</table>
<table>
<thead><tr><th>check<th>result<th>source<th>evidence</thead>
${checks.map(toRow).join('\n')}
</table>
</html>
`;
}

/** Words about what is left after a run. */
export function toCleanUpText({ cleanUp, mark, remains }: GalleryReport): string {
  const { people, groups, left, credentials, problem } = cleanUp;
  const open = credentials.filter(({ ended }) => !ended).map(({ name }) => name);
  const sentences = [
    `Taken away at the end: users ${people}, groups ${groups}.`,
    toLeftText(left, problem, mark),
    open.length === 0
      ? 'The credentials of the run are revoked.'
      : `These credentials may still be valid: ${open.join(', ')}. Revoke them.`,
    remains,
  ];
  return sentences.join(' ');
}

function toLeftText(left: readonly string[], problem: string | null, mark: string): string {
  if (problem !== null) {
    return `What is left could not be looked for: ${problem}. Its names begin with ${mark}.`;
  }
  if (left.length === 0) return 'No SCIM answer has any of them.';
  return `Still there: ${left.join(', ')}. Delete them.`;
}

function toRow({ id, title, source, status, why, evidence }: CheckResult): string {
  const { document, part, url, read } = source;
  return `<tr class="${status}"><td><b>${toSafe(id)}</b><br>${toSafe(title)}<td>${status}${
    why === null ? '' : `<br>${toSafe(why)}`
  }<td><a href="${toSafe(url)}">${toSafe(document)}</a><br>${toSafe(part)}<br>read ${read}<td>${evidence
    .map(toEvidence)
    .join('')}`;
}

function toEvidence({ request, status, durationMs, times, parts }: Evidence): string {
  const often = times === 1 ? '' : ` (${times} times)`;
  const shown = parts.length === 0 ? '' : `<br>${parts.map(toSafe).join('; ')}`;
  return `<p><code>${toSafe(request)}</code> ${status}, ${durationMs} ms${often}${shown}</p>`;
}

function toSafe(text: string): string {
  const entities = new Map([
    ['&', '&amp;'],
    ['<', '&lt;'],
    ['>', '&gt;'],
    ['"', '&quot;'],
  ]);
  return text.replaceAll(/[&<>"]/g, (character) => entities.get(character) ?? character);
}

const STYLE = `
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; color: #1b1f24; background: #fff }
table { border-collapse: collapse; margin-bottom: 2rem; width: 100% }
th, td { border: 1px solid #c8ccd1; padding: .4rem .6rem; text-align: left; vertical-align: top }
p { margin: 0 0 .4rem; overflow-wrap: anywhere }
.ok td:nth-child(2) { background: #dff5e1 } .failed td:nth-child(2) { background: #fbdcdc }
.skipped td:nth-child(2) { background: #f1f1f1 }`;
