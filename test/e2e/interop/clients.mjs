// Holds a running service to what clients of OAuth make of it that others wrote: openid-client,
// oauth4webapi, Auth.js, and the client authorization of the MCP SDK. The one argument is a JSON object:
// issuer, person, an access token of somebody who lets all of them in, client_id and
// client_secret of an application that logs people in, service_id and service_secret of one that may
// exchange its tokens, old_secret, that of the application old, whose ID tokens are by RS256,
// owner and app_id, an access token of whoever manages the first application and its id, and
// device_id, a public one without a browser.
import assert from 'node:assert/strict'
import * as openid from 'openid-client'
import * as oauth from 'oauth4webapi'
import { Auth } from '@auth/core'
import { auth, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js'

const given = JSON.parse(process.argv[2])
const callback = 'http://127.0.0.1:3000/callback'
const execute = `${given.issuer}/api/v1/execute`

async function command(name, params, token = given.person) {
  const answer = await fetch(execute, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ command: name, params }),
  })
  const { ok, data, error } = await answer.json()
  assert.ok(ok, `${name}: ${JSON.stringify(error)}`)
  return data
}

// agree is the person in front of the browser: where it ends up.
async function agree(address) {
  const asked = await command('OAUTH.AUTHORIZE', Object.fromEntries(new URL(address).searchParams))
  if (asked.redirect_to) return new URL(asked.redirect_to)
  const decided = await command('OAUTH.CONSENT_DECIDE', { request_id: asked.request_id, approve: true })
  return new URL(decided.redirect_to)
}

// algorithmOf is what a token is signed by.
const algorithmOf = (token) => JSON.parse(Buffer.from(token.split('.')[0], 'base64url')).alg

// openID logs somebody in by openid-client: by code with PKCE, pushed and bound to a key, in
// signed request objects, and on a device.
async function openID() {
  const insecure = { execute: [openid.allowInsecureRequests] }
  const config = await openid.discovery(new URL(given.issuer), given.client_id, given.client_secret, undefined, insecure)
  const verifier = openid.randomPKCECodeVerifier()
  const wish = {
    redirect_uri: callback, scope: 'openid email offline_access', state: 'the-state', nonce: 'the-nonce',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  }
  const checks = { pkceCodeVerifier: verifier, expectedState: 'the-state', expectedNonce: 'the-nonce', idTokenExpected: true }
  const tokens = await openid.authorizationCodeGrant(config, await agree(openid.buildAuthorizationUrl(config, wish)), checks)
  assert.equal(algorithmOf(tokens.id_token), 'ES256')
  const { sub } = tokens.claims()
  assert.equal((await openid.fetchUserInfo(config, tokens.access_token, sub)).email, given.email)
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token)
  assert.notEqual(next.access_token, tokens.access_token)
  assert.equal((await openid.tokenIntrospection(config, next.access_token)).active, true)
  const narrower = await exchanged(next.access_token, sub)
  await openid.tokenRevocation(config, next.refresh_token)
  assert.equal((await openid.tokenIntrospection(narrower.config, narrower.token)).active, false)
  assert.equal((await openid.tokenIntrospection(config, next.access_token)).active, false)

  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair())
  const pushed = await openid.buildAuthorizationUrlWithPAR(config, wish, { DPoP })
  assert.deepEqual([...pushed.searchParams.keys()].sort(), ['client_id', 'request_uri'])
  const bound = await openid.authorizationCodeGrant(config, await agree(pushed), checks, undefined, { DPoP })
  assert.equal(bound.token_type, 'dpop')
  assert.equal((await openid.fetchUserInfo(config, bound.access_token, sub, { DPoP })).sub, sub)
  const again = await openid.refreshTokenGrant(config, bound.refresh_token, undefined, { DPoP })
  assert.equal((await openid.fetchUserInfo(config, again.access_token, sub, { DPoP })).sub, sub)

  const signing = await openid.randomDPoPKeyPair()
  const jwk = await crypto.subtle.exportKey('jwk', signing.publicKey)
  await command('APP.SET_JWKS', { app_id: given.app_id, jwks: { keys: [{ ...jwk, kid: 'signs' }] } }, given.owner)
  const object = await openid.buildAuthorizationUrlWithJAR(config, wish, { key: signing.privateKey, kid: 'signs' })
  assert.deepEqual([...object.searchParams.keys()].sort(), ['client_id', 'request'])
  for (const address of [object, await openid.buildAuthorizationUrlWithPAR(config, object.searchParams)]) {
    const signed = await openid.authorizationCodeGrant(config, await agree(address), checks)
    assert.equal(signed.claims().sub, sub)
  }

  const old = await openid.discovery(new URL(given.issuer), 'old', { id_token_signed_response_alg: 'RS256' }, openid.ClientSecretPost(given.old_secret), insecure)
  openid.enableNonRepudiationChecks(old) // verifies the signatures, too
  const byRSA = await openid.authorizationCodeGrant(old, await agree(openid.buildAuthorizationUrl(old, wish)), checks)
  assert.equal(algorithmOf(byRSA.id_token), 'RS256')
  assert.equal(byRSA.claims().sub, sub)

  const television = await openid.discovery(new URL(given.issuer), given.device_id, undefined, openid.None(), insecure)
  const device = await openid.initiateDeviceAuthorization(television, { scope: 'openid' })
  await command('OAUTH.DEVICE_DECIDE', { user_code: device.user_code, approve: true })
  const shown = await openid.pollDeviceAuthorizationGrant(television, { ...device, interval: 0.01 })
  assert.equal(shown.claims().sub, sub)
}

// exchanged is a service that was called with a token, and acts on by a narrower one.
async function exchanged(token, sub) {
  const config = await openid.discovery(new URL(given.issuer), given.service_id, given.service_secret, undefined, { execute: [openid.allowInsecureRequests] })
  const type = 'urn:ietf:params:oauth:token-type:access_token'
  const grant = 'urn:ietf:params:oauth:grant-type:token-exchange'
  assert.ok(config.serverMetadata().grant_types_supported.includes(grant))
  const made = await openid.genericGrantRequest(config, grant, { subject_token: token, subject_token_type: type, scope: 'openid' })
  assert.equal(made.issued_token_type, type)
  assert.equal(made.scope, 'openid')
  const seen = await openid.tokenIntrospection(config, made.access_token)
  assert.deepEqual([seen.active, seen.sub, seen.act, seen.client_id], [true, sub, { sub: given.service_id }, given.service_id])
  assert.deepEqual(await openid.fetchUserInfo(config, made.access_token, sub), { sub })
  return { config, token: made.access_token }
}

// webAPI registers by oauth4webapi and logs somebody in, from what the service tells of itself
// as a resource on.
async function webAPI() {
  const insecure = { [oauth.allowInsecureRequests]: true }
  const refused = await fetch(execute, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"command":"OAUTH.USERINFO"}' })
  assert.equal(refused.status, 401)
  const resource = await oauth.processResourceDiscoveryResponse(
    new URL(execute), await oauth.resourceDiscoveryRequest(new URL(execute), insecure))
  const issuer = new URL(resource.authorization_servers[0])
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, { client_name: 'Wiki', redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_post' }, insecure))
  const verifier = oauth.generateRandomCodeVerifier()
  const address = new URL(server.authorization_endpoint)
  address.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri: callback, response_type: 'code', scope: 'openid email', resource: resource.resource,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  })
  const parameters = oauth.validateAuthResponse(server, client, await agree(address))
  const tokens = await oauth.processAuthorizationCodeResponse(server, client,
    await oauth.authorizationCodeGrantRequest(server, client, oauth.ClientSecretPost(client.client_secret), parameters, callback, verifier, insecure))
  const { sub } = oauth.getValidatedIdTokenClaims(tokens)
  const person = await oauth.processUserInfoResponse(server, client, sub, await oauth.userInfoRequest(server, client, tokens.access_token, insecure))
  assert.equal(person.email, given.email)
  assert.equal((await command('OAUTH.USERINFO', undefined, tokens.access_token)).sub, sub)

  const management = { headers: { Authorization: `Bearer ${client.registration_access_token}` } }
  const registered = await (await fetch(client.registration_client_uri, management)).json()
  assert.deepEqual(registered.redirect_uris, [callback])
  assert.equal((await fetch(client.registration_client_uri, { method: 'DELETE', ...management })).status, 204)
  assert.equal((await fetch(client.registration_client_uri, management)).status, 401)
}

// authJS is a site that logs somebody in by Auth.js, as a browser with its cookies sees it.
async function authJS() {
  const site = 'http://127.0.0.1:3000'
  const config = {
    trustHost: true, basePath: '/auth', secret: 'thirty-two characters, and a few more',
    providers: [{
      id: 'gatehouse', name: 'Gatehouse', type: 'oidc', issuer: given.issuer, clientId: given.client_id, clientSecret: given.client_secret,
      checks: ['pkce', 'state', 'nonce'],
    }],
  }
  const cookies = new Map()
  const visit = async (path, form) => {
    const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await Auth(new Request(site + path, { method: form ? 'POST' : 'GET', body: form && new URLSearchParams(form), headers: { Cookie } }), config)
    for (const set of answer.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0].split(/=(.*)/s)
      cookies.set(name, value)
    }
    return answer
  }
  const { csrfToken } = await (await visit('/auth/csrf')).json()
  const sent = await visit('/auth/signin/gatehouse', { csrfToken, callbackUrl: site })
  const back = await agree(sent.headers.get('Location'))
  const landed = await visit(back.pathname + back.search)
  assert.equal(landed.headers.get('Location'), site)
  assert.equal((await (await visit('/auth/session')).json()).user.email, given.email)
}

// agent is a client of MCP, as the SDK wants it.
class agent {
  redirectUrl = callback
  clientMetadata = { client_name: 'Agent', redirect_uris: [callback], grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: 'none' }
  clientInformation() { return this.client }
  saveClientInformation(client) { this.client = client }
  tokens() { return this.held }
  saveTokens(tokens) { this.held = tokens }
  redirectToAuthorization(address) { this.address = address }
  saveCodeVerifier(verifier) { this.verifier = verifier }
  codeVerifier() { return this.verifier }
}

// modelContext gets from a 401 to a token without having been registered.
async function modelContext() {
  const ask = (token) =>
    fetch(execute, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ command: 'OAUTH.USERINFO' }),
    })
  const refused = await ask()
  assert.equal(refused.status, 401)
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refused)
  const client = new agent()
  assert.equal(await auth(client, { serverUrl: execute, resourceMetadataUrl }), 'REDIRECT')
  assert.equal(client.address.searchParams.get('resource'), execute)
  const back = await agree(client.address)
  assert.equal(await auth(client, { serverUrl: execute, resourceMetadataUrl, authorizationCode: back.searchParams.get('code') }), 'AUTHORIZED')
  const before = client.held.access_token
  assert.equal((await ask(before)).status, 200)
  assert.equal(await auth(client, { serverUrl: execute, resourceMetadataUrl }), 'AUTHORIZED') // by its refresh token
  assert.notEqual(client.held.access_token, before)
  assert.equal((await ask(client.held.access_token)).status, 200)
  // Without the path, where libraries write the address of the service with a slash.
  const other = new agent()
  assert.equal(await auth(other, { serverUrl: given.issuer }), 'REDIRECT')
  const home = await agree(other.address)
  assert.equal(await auth(other, { serverUrl: given.issuer, authorizationCode: home.searchParams.get('code') }), 'AUTHORIZED')
  assert.equal((await ask(other.held.access_token)).status, 200)
}

await openID()
await webAPI()
await authJS()
await modelContext()
console.log('all of it holds')
