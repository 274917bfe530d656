import { createStream, type LiveMessage } from './stream.ts';

// One stream for all tabs of a browser: it opens six connections to an address, and a seventh tab would wait for ever.

const tabs = new Set<MessagePort>();
let state: LiveMessage = { kind: 'state', isConnected: false };
const stream = createStream((message) => {
  if (message.kind === 'state') state = message;
  for (const tab of tabs) tab.postMessage(message);
});

addEventListener('connect', (event) => {
  if (!(event instanceof MessageEvent)) return;
  const [tab] = event.ports;
  if (tab === undefined) return;
  tab.addEventListener('message', ({ data }) => {
    if (data === 'follow') join(tab);
    else leave(tab);
  });
  tab.start();
});

function join(tab: MessagePort): void {
  tabs.add(tab);
  tab.postMessage(state);
  stream.open();
}

function leave(tab: MessagePort): void {
  tabs.delete(tab);
  if (tabs.size > 0) return;
  stream.close();
  state = { kind: 'state', isConnected: false };
}
