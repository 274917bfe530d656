import type { Notice, Receiver } from '../domain/notification.ts';

/** Characters of a text or value; a body is a few of them. */
const TEXT_MAX = 1_000;

/** Body of a notification of a time (epoch milliseconds), in the form of its receiver. */
export function toBody(notice: Notice, { format, names }: Receiver, at: number): string {
  const text = toText(notice, names);
  switch (format) {
    case 'slack':
      return JSON.stringify({ text: `*scim-bridge* ${toSlackText(text)}` });
    case 'teams':
      return JSON.stringify(toCard(text));
    default:
      return JSON.stringify({
        type: notice.type,
        timestamp: new Date(at).toISOString(),
        data: { text, ...toShort(notice.data), ...(names ? toShort(notice.names) : {}) },
      });
  }
}

function toText({ text, names }: Notice, hasNames: boolean): string {
  const shown = Object.values(names).join(', ');
  return toLimit(hasNames && shown !== '' ? `${text} (${shown})` : text);
}

/** @see https://api.slack.com/reference/surfaces/formatting#escaping (read 2026-11-22) */
function toSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * A message with one adaptive card. The text is a run, because a block reads Markdown: words of the service could make
 * links of it.
 * @see https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook (read 2026-11-22)
 * @see https://adaptivecards.io/explorer/RichTextBlock.html (1.2; Teams shows cards up to 1.5)
 */
function toCard(text: string) {
  const head = { type: 'TextBlock', text: 'scim-bridge', weight: 'Bolder' };
  const block = { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text }] };
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [head, block],
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  return { type: 'message', attachments: [{ contentType, contentUrl: null, content }] };
}

function toShort(data: Notice['data']): Notice['data'] {
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    typeof value === 'string' ? toLimit(value) : value,
  ]);
  return Object.fromEntries(entries);
}

function toLimit(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text;
}
