// Holds the webhooks of a running service to the stock library of Standard Webhooks: a
// receiver of its own verifies messages, also while the secret rotates. The one argument is a
// JSON object: issuer and operator, an access token that may change webhooks and roles.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const given = JSON.parse(process.argv[2])

async function execute(command, params) {
  const response = await fetch(`${given.issuer}/api/v1/execute`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${given.operator}` },
    body: JSON.stringify({ command, params }),
  })
  const { ok, data, error } = await response.json()
  assert.ok(ok, `${command}: ${JSON.stringify(error)}`)
  return data
}

const messages = []
const receiver = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  messages.push({ headers: request.headers, body })
  response.writeHead(204).end()
  receiver.emit('message')
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')

// told makes a role, and returns the message that tells of it.
async function told(name) {
  const arrives = once(receiver, 'message', { signal: AbortSignal.timeout(20_000) })
  await execute('ROLE.CREATE', { name, permissions: ['apps:read'] })
  await arrives
  return messages.at(-1)
}

const refuses = (secret, { body, headers }) => assert.throws(() => new Webhook(secret).verify(body, headers))

const made = await execute('WEBHOOK.CREATE', { url: `http://127.0.0.1:${receiver.address().port}/`, events: ['role.created'] })
const first = await told('first')
const event = new Webhook(made.signing_secret).verify(first.body, first.headers)
assert.equal(event.type, 'role.created')
assert.equal(event.data.name, 'first')
refuses(made.signing_secret, { body: first.body.replace('first', 'other'), headers: first.headers })
refuses(made.signing_secret, { body: first.body, headers: { ...first.headers, 'webhook-id': 'dlv_another' } })

const rotated = await execute('WEBHOOK.ROTATE_SECRET', { webhook_id: made.webhook.id, overlap_hours: 1 })
const second = await told('second')
for (const secret of [made.signing_secret, rotated.signing_secret]) {
  assert.equal(new Webhook(secret).verify(second.body, second.headers).data.name, 'second')
}
refuses(rotated.signing_secret, first)
assert.notEqual(first.headers['webhook-id'], second.headers['webhook-id'])

receiver.close()
receiver.closeAllConnections()
console.log('all of it holds')
