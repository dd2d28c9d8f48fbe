// Holds a running service to what libraries of others make of it: jose reads its
// discovery, its keys and its tokens, dpop makes proofs for it. The one argument is
// a JSON object: issuer, and client_id and client_secret of an app that may list apps,
// its app_id, and operator, an access token that may change it; product_id, and license_key
// of a license for it that has offline files.
import assert from 'node:assert/strict'
import { webcrypto } from 'node:crypto'
import * as dpop from 'dpop'
import * as jose from 'jose'

// Node.js 18, which Debian 12 has, keeps them to itself.
globalThis.crypto ??= webcrypto
globalThis.CryptoKey ??= webcrypto.CryptoKey

const given = JSON.parse(process.argv[2])

const json = async (response) => ({ status: response.status, headers: response.headers, body: await response.json() })
const get = async (url) => json(await fetch(url))
const form = async (url, params, headers = {}) =>
  json(await fetch(url, { method: 'POST', body: new URLSearchParams(params), headers }))

const meta = await discovery()
const jwks = jose.createRemoteJWKSet(new URL(meta.jwks_uri))

const execute = async (command, params, headers) =>
  json(await fetch(meta.command_endpoint, {
    method: 'POST',
    body: JSON.stringify({ command, params }),
    headers: { 'Content-Type': 'application/json', ...headers },
  }))

const basic = {
  Authorization: 'Basic ' + btoa(`${encodeURIComponent(given.client_id)}:${encodeURIComponent(given.client_secret)}`),
}

// token asks for one and expects to get it.
async function token(params = {}, headers = basic) {
  const { status, body } = await form(meta.token_endpoint, { grant_type: 'client_credentials', ...params }, headers)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

// revoke ends a token, and expects the empty answer of RFC 7009.
async function revoke(params, headers = {}) {
  const answer = await fetch(meta.revocation_endpoint, { method: 'POST', body: new URLSearchParams(params), headers })
  assert.equal(answer.status, 200)
  assert.equal(await answer.text(), '')
}

// verify checks a token as a resource server does.
async function verify(text, audience = meta.issuer) {
  const { payload } = await jose.jwtVerify(text, jwks, {
    issuer: meta.issuer,
    audience,
    subject: given.client_id,
    typ: 'at+jwt',
    algorithms: meta.id_token_signing_alg_values_supported,
    requiredClaims: ['exp', 'iat', 'jti', 'client_id', 'scope'],
  })
  return payload
}

// discovery says the same by both standards, and names this issuer.
async function discovery() {
  const openid = await get(`${given.issuer}/.well-known/openid-configuration`)
  const oauth = await get(`${given.issuer}/.well-known/oauth-authorization-server`)
  assert.equal(openid.status, 200)
  assert.deepEqual(openid.body, oauth.body)
  assert.equal(openid.body.issuer, given.issuer)
  assert.deepEqual(openid.body.grant_types_supported, [
    'authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code', 'urn:ietf:params:oauth:grant-type:token-exchange', 'client_credentials',
  ])
  return openid.body
}

async function bearer() {
  const issued = await token({ scope: 'apps:read' })
  assert.equal(issued.token_type, 'Bearer')
  const claims = await verify(issued.access_token)
  assert.equal(claims.scope, 'apps:read')
  assert.equal(claims.exp - claims.iat, issued.expires_in)
  const listed = await execute('APP.LIST', {}, { Authorization: `Bearer ${issued.access_token}` })
  assert.equal(listed.body.data.items[0].slug, given.client_id)
  const seen = await form(meta.introspection_endpoint, { token: issued.access_token }, basic)
  assert.equal(seen.body.active, true)
  assert.equal(seen.body.jti, claims.jti)
  await assert.rejects(verify(issued.access_token, 'https://another.example'), { code: 'ERR_JWT_CLAIM_VALIDATION_FAILED' })
  const other = await token()
  await revoke({ token: issued.access_token, token_type_hint: 'access_token' }, basic)
  for (const [text, active] of [[issued.access_token, false], [other.access_token, true]]) {
    assert.equal((await form(meta.introspection_endpoint, { token: text }, basic)).body.active, active)
  }
  await assert.rejects(verify(`${issued.access_token.slice(0, -8)}AAAAAAAA`), { code: 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED' })
}

async function resource() {
  const issued = await token({ resource: 'https://reports.example/' })
  await verify(issued.access_token, 'https://reports.example/')
  const listed = await execute('APP.LIST', {}, { Authorization: `Bearer ${issued.access_token}` })
  assert.equal(listed.body.error.code, 'TOKEN_INVALID')
}

// proof makes one by the library, for a request with or without a token.
const proof = (keys, url, access) => dpop.generateProof(keys, url, 'POST', undefined, access)

async function bound(algorithm) {
  const keys = await dpop.generateKeyPair(algorithm)
  const issued = await token({}, { ...basic, DPoP: await proof(keys, meta.token_endpoint) })
  assert.equal(issued.token_type, 'DPoP')
  const access = issued.access_token
  const claims = await verify(access)
  assert.equal(claims.cnf.jkt, await dpop.calculateThumbprint(keys.publicKey))
  const call = async (headers) => execute('APP.LIST', {}, headers)
  const once = { Authorization: `DPoP ${access}`, DPoP: await proof(keys, meta.command_endpoint, access) }
  assert.equal((await call(once)).status, 200)
  const other = await dpop.generateKeyPair(algorithm)
  for (const [what, headers, error] of [
    ['a proof again', once, 'invalid_dpop_proof'],
    ['no proof', { Authorization: `DPoP ${access}` }, ''],
    ['another path', { ...once, DPoP: await proof(keys, meta.token_endpoint, access) }, 'invalid_dpop_proof'],
    ['no hash', { ...once, DPoP: await proof(keys, meta.command_endpoint) }, 'invalid_dpop_proof'],
    ['another key', { ...once, DPoP: await proof(other, meta.command_endpoint, access) }, 'invalid_token'],
  ]) {
    const refused = await call(headers)
    assert.equal(refused.status, 401, what)
    assert.match(refused.headers.get('WWW-Authenticate'), new RegExp(`DPoP .*${error}.*algs="[^"]*ES256`), what)
  }
  const plain = await call({ Authorization: `Bearer ${access}` })
  assert.equal(plain.body.error.code, 'TOKEN_INVALID')
}

// assertion authenticates the client by a key of its own (RFC 7523).
async function assertion(algorithm) {
  const { publicKey, privateKey } = await jose.generateKeyPair(algorithm, { extractable: true })
  const key = { ...(await jose.exportJWK(publicKey)), kid: algorithm, alg: algorithm, use: 'sig' }
  const set = await execute('APP.SET_JWKS', { app_id: given.app_id, jwks: { keys: [key] } }, { Authorization: `Bearer ${given.operator}` })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const signed = await new jose.SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: algorithm, kid: algorithm })
    .setIssuer(given.client_id)
    .setSubject(given.client_id)
    .setAudience(meta.token_endpoint)
    .setIssuedAt()
    .setExpirationTime('1m')
    .sign(privateKey)
  const params = {
    client_assertion: signed,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }
  await verify((await token(params, {})).access_token)
  const again = await form(meta.token_endpoint, { grant_type: 'client_credentials', ...params })
  assert.equal(again.status, 401)
  assert.equal(again.body.error, 'invalid_client')
}

// offline checks a license file as a program without network does: by a copy of the keys.
async function offline() {
  const { body } = await execute('LICENSE.OFFLINE_CHECKOUT', { key: given.license_key, machine: 'interop', days: 3 })
  const keys = jose.createLocalJWKSet((await get(meta.jwks_uri)).body)
  const expected = { issuer: meta.issuer, audience: given.product_id, typ: 'license+jwt', algorithms: ['EdDSA'] }
  for (const file of [body.data.offline_file, body.data.qr_file]) {
    const { payload } = await jose.jwtVerify(file, keys, expected)
    assert.equal(payload.machine, 'interop')
    const life = 3 * 24 * 3600 // from the checkout, which the file is signed just after
    assert.ok(payload.exp - payload.iat <= life && payload.exp - payload.iat > life - 60)
  }
  await assert.rejects(jose.jwtVerify(body.data.offline_file, keys, { ...expected, audience: 'prd_another' }))
  await assert.rejects(jose.jwtVerify(body.data.offline_file, keys, { ...expected, currentDate: new Date(Date.now() + 4 * 24 * 3600 * 1000) }))
}

await bearer()
await offline()
await resource()
for (const algorithm of ['ES256', 'RS256', 'Ed25519']) await bound(algorithm)
for (const algorithm of meta.token_endpoint_auth_signing_alg_values_supported) await assertion(algorithm)
console.log('all of it holds')
