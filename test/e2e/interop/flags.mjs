// Holds a running service to what the SDK of OpenFeature makes of it, by its stock provider
// for the remote evaluation protocol. The one argument is a JSON object: issuer, key and
// token, an API key and an M2M token that may read features, user, who has a license, and
// operator, an access token that may change features.
import assert from 'node:assert/strict'
import { OpenFeature } from '@openfeature/server-sdk'
import { OFREPProvider } from '@openfeature/ofrep-provider'

const given = JSON.parse(process.argv[2])

async function client(name, headers) {
  await OpenFeature.setProviderAndWait(name, new OFREPProvider({ baseUrl: given.issuer, headers }))
  return OpenFeature.getClient(name)
}

async function flags(from) {
  const buyer = { targetingKey: given.user }
  const pro = { targetingKey: 'visitor-1', plan: 'pro' }
  for (const [what, got, value, reason] of [
    ['a license', await from.getNumberDetails('seats.max', 0, buyer), 5, 'TARGETING_MATCH'],
    ['a rule', await from.getBooleanDetails('export.pdf', false, pro), true, 'TARGETING_MATCH'],
    ['the default', await from.getBooleanDetails('export.pdf', true, { targetingKey: 'visitor-2' }), false, 'DEFAULT'],
    ['a text, for nobody', await from.getStringDetails('theme', 'none', {}), 'light', 'DEFAULT'],
  ]) {
    assert.deepEqual([got.value, got.reason, got.errorCode], [value, reason, undefined], `${what}: ${JSON.stringify(got)}`)
  }
  for (const [what, got, code] of [
    ['no flag', await from.getBooleanDetails('no.such', true, buyer), 'FLAG_NOT_FOUND'],
    ['no flag by its form', await from.getBooleanDetails('No Such', true, buyer), 'FLAG_NOT_FOUND'],
    ['another type', await from.getBooleanDetails('theme', true, buyer), 'TYPE_MISMATCH'],
  ]) {
    assert.deepEqual([got.value, got.errorCode], [true, code], `${what}: ${JSON.stringify(got)}`)
  }
}

// bulk asks as providers in browsers do: once, and then whether anything changed.
async function bulk() {
  const ask = (headers) =>
    fetch(`${given.issuer}/ofrep/v1/evaluate/flags`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': given.key, ...headers },
      body: JSON.stringify({ context: { targetingKey: given.user } }),
    })
  const first = await ask({})
  assert.equal(first.status, 200)
  const { flags } = await first.json()
  assert.deepEqual(flags.map((f) => f.key), ['export.pdf', 'seats.max', 'theme'])
  const again = await ask({ 'If-None-Match': first.headers.get('ETag') })
  assert.equal(again.status, 304)
  const changed = await fetch(`${given.issuer}/api/v1/execute`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${given.operator}` },
    body: JSON.stringify({ command: 'FEATURE.UPDATE', params: { key: 'theme', default: 'dark' } }),
  })
  assert.equal(changed.status, 200)
  assert.equal((await ask({ 'If-None-Match': first.headers.get('ETag') })).status, 200)
}

await flags(await client('key', [['X-API-Key', given.key]]))
await flags(await client('token', [['Authorization', `Bearer ${given.token}`]]))
const stranger = await client('stranger', [['Authorization', 'Bearer ak_live_nobody']])
assert.equal((await stranger.getBooleanDetails('export.pdf', true, {})).value, true)
await bulk()
console.log('all of it holds')
