import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import type { Notice } from './notifier.ts';
import { toBody } from './notifier.ts';

/**
 * The part of the schemas of a message and of an adaptive card that the bridge sends, closed to everything else.
 * @see https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using (adaptive cards)
 * @see http://adaptivecards.io/schemas/adaptive-card.json (1.4)
 */
const one = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const textBlock = one({
  type: { const: 'TextBlock' },
  text: { type: 'string' },
  weight: { enum: ['Default', 'Lighter', 'Bolder'] },
});
const richTextBlock = one({
  type: { const: 'RichTextBlock' },
  inlines: { type: 'array', items: one({ type: { const: 'TextRun' }, text: { type: 'string' } }) },
});
const card = one({
  $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
  type: { const: 'AdaptiveCard' },
  version: { enum: ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5'] },
  body: { type: 'array', items: { anyOf: [textBlock, richTextBlock] } },
});
const message = one({
  type: { const: 'message' },
  attachments: {
    type: 'array',
    minItems: 1,
    items: one({
      contentType: { const: 'application/vnd.microsoft.card.adaptive' },
      contentUrl: { type: 'null' },
      content: card,
    }),
  },
});

const notice: Notice = {
  type: 'plan.held',
  text: 'A plan waits: [click](https://evil.example) *now*',
  data: {},
  names: {},
};

test('a notification for Teams is a message with one adaptive card, in which no text is Markdown', () => {
  const channel = { name: 'channel', url: 'https://x.example', format: 'teams' } as const;
  const receiver = { ...channel, events: [], names: false };
  const body: unknown = JSON.parse(toBody(notice, receiver, 0));

  const isValid = new Ajv().compile(message);
  expect(isValid(body), JSON.stringify(isValid.errors)).toBe(true);
  expect(body).toMatchObject({
    attachments: [
      { content: { body: [{ text: 'scim-bridge' }, { inlines: [{ text: notice.text }] }] } },
    ],
  });
});
