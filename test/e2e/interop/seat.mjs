// A program with a floating seat that starts without network too, for as many days as its
// license file holds. The one argument is a JSON object: issuer, key, product_id, machine, and
// directory, where it keeps the file and the keys that verify it; days puts its clock ahead.
import { readFile, writeFile } from 'node:fs/promises'
import { createLocalJWKSet, jwtVerify } from 'jose'

const { issuer, key, product_id, machine, directory, days = 0 } = JSON.parse(process.argv[2])
const kept = { file: `${directory}/license.jws`, jwks: `${directory}/jwks.json` }
const now = () => new Date(Date.now() + days * 86_400_000)

async function execute(command, params) {
  const body = JSON.stringify({ command, params: { key, machine, ...params } })
  const answer = await fetch(`${issuer}/api/v1/execute`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  if (answer.status >= 500 || answer.status === 429) throw new TypeError(`the service answers ${answer.status}`)
  return (await answer.json()).data
}

// online takes a seat, and a file for the days when there is no network.
async function online() {
  const taken = await execute('LICENSE.OFFLINE_CHECKOUT')
  if (taken.code !== 'valid') return `no: ${taken.code}`
  const judged = await execute('LICENSE.VALIDATE', { product_id })
  if (!judged.valid) return `no: ${judged.code}`
  const keys = await (await fetch(`${issuer}/.well-known/jwks.json`)).text()
  await Promise.all([writeFile(kept.file, taken.offline_file), writeFile(kept.jwks, keys)])
  return `runs, with a seat until ${taken.expires_at}`
}

// offline trusts the file: who signed it, for which product and machine, and that the clock
// was not set back before it was made.
async function offline() {
  const [file, jwks] = await Promise.all([readFile(kept.file, 'utf8'), readFile(kept.jwks, 'utf8')])
  const wanted = { issuer, audience: product_id, typ: 'license+jwt', algorithms: ['EdDSA'], currentDate: now() }
  const { payload } = await jwtVerify(file, createLocalJWKSet(JSON.parse(jwks)), wanted)
  if (payload.machine !== machine || payload.iat > now() / 1000) throw new Error('for another machine or time')
  return `runs without network, until ${new Date(payload.exp * 1000).toISOString()}`
}

const lost = (failure) => failure instanceof TypeError
console.log(await online().catch((failure) => (lost(failure) ? offline() : Promise.reject(failure))).catch((failure) => `no: ${failure.message}`))
