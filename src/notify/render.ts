import type { Notice, Receiver } from '../domain/notification.ts';

/** Characters of a text or value; a body is a few of them. */
const TEXT_MAX = 1_000;

/** Body of a notification in the form of its receiver. */
export function toBody(notice: Notice, { format, names }: Receiver): string {
  const text = toText(notice, names);
  switch (format) {
    case 'slack':
      return JSON.stringify({ text: `*scim-bridge* ${toSlackText(text)}` });
    case 'teams':
      return JSON.stringify(toCard(text));
    default:
      return JSON.stringify({
        type: notice.type,
        timestamp: new Date(notice.at).toISOString(),
        data: { text, ...toShort(notice.data), ...(names ? toShort(notice.names) : {}) },
      });
  }
}

function toText({ text, names }: Notice, tellsNames: boolean): string {
  const told = Object.values(names).join(', ');
  return toLimit(tellsNames && told !== '' ? `${text} (${told})` : text);
}

/** @see https://api.slack.com/reference/surfaces/formatting#escaping (read 2026-11-22) */
function toSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** @see https://learn.microsoft.com/connectors/teams/#microsoft-teams-webhook (read 2026-11-22) */
function toCard(text: string) {
  const block = { type: 'TextBlock', text: `**scim-bridge** ${text}`, wrap: true };
  const content = { type: 'AdaptiveCard', version: '1.4', body: [block] };
  const card = { contentType: 'application/vnd.microsoft.card.adaptive', content };
  return { type: 'message', attachments: [card] };
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
