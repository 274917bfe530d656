import { once } from 'node:events';
import { createServer } from 'node:http';
import express from 'express';
import SCIMMY from 'scimmy';
import SCIMMYRouters from 'scimmy-routers';

// A server on scimmy-routers that keeps everything in memory and looks people up by a key, as its users would write it at best.
// It runs where its packages are installed, which is why it is JavaScript. Prints one JSON line, `{ url }`.

/** Resources of one type by id, and by the attribute that names them. */
class Shelf {
  #byId = new Map();
  #byName = new Map();
  #ids = [];
  #nameKey;

  constructor(nameKey) {
    this.#nameKey = nameKey;
  }

  save(id, data) {
    const name = data[this.#nameKey].toLowerCase();
    const taken = this.#byName.get(name);
    if (taken !== undefined && taken.id !== id)
      throw new SCIMMY.Types.Error(409, 'uniqueness', 'taken');
    const meta = { created: new Date(), lastModified: new Date() };
    const saved = { ...data, id: id ?? crypto.randomUUID(), meta };
    if (id === undefined) this.#ids.push(saved.id);
    this.#byId.set(saved.id, saved);
    this.#byName.set(name, saved);
    return saved;
  }

  find(resource) {
    if (resource.id !== undefined) {
      const found = this.#byId.get(resource.id);
      if (found === undefined) throw new SCIMMY.Types.Error(404, null, 'not found');
      return found;
    }
    const name =
      resource.filter?.[0]?.[this.#nameKey.toLowerCase()] ?? resource.filter?.[0]?.[this.#nameKey];
    if (name !== undefined) return [this.#byName.get(name[1].toLowerCase())].filter(Boolean);
    return this.#listPage(resource);
  }

  remove(id) {
    const found = this.#byId.get(id);
    this.#byId.delete(id);
    this.#ids = this.#ids.filter((one) => one !== id);
    if (found !== undefined) this.#byName.delete(found[this.#nameKey].toLowerCase());
  }

  #listPage(resource) {
    const { startIndex = 1, count = 100 } = resource.constraints ?? {};
    resource.constraints = { startIndex, count, totalResults: this.#ids.length };
    return this.#ids.slice(startIndex - 1, startIndex - 1 + count).map((id) => this.#byId.get(id));
  }
}

for (const [type, nameKey] of [
  [SCIMMY.Resources.User, 'userName'],
  [SCIMMY.Resources.Group, 'displayName'],
]) {
  const shelf = new Shelf(nameKey);
  SCIMMY.Resources.declare(type)
    .ingress(({ id }, data) => shelf.save(id, data))
    .egress((resource) => shelf.find(resource))
    .degress(({ id }) => shelf.remove(id));
}

const app = express();
app.use('/scim', new SCIMMYRouters({ type: 'bearer', handler: () => 'the-provider' }));
const server = createServer(app).listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(
  `${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/scim` })}\n`,
);
