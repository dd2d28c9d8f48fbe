package maildomain

import (
	"strings"
	"sync"

	"golang.org/x/net/publicsuffix"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
)

// Errors of domains that cannot be claimed.
var (
	ErrSuffix   = fault.Unfit("/domain", "is a public suffix: claim a domain you own")
	ErrProvider = fault.Unfit("/domain", "belongs to a public email provider: claim a domain you own")
	ErrLong     = fault.Unfit("/domain", "is too long: the name of its verification record must have at most 253 characters")
)

// Claimable fails with ErrSuffix, ErrProvider or ErrLong for a domain that cannot be
// claimed.
func Claimable(name email.Domain) error {
	suffix, _ := publicsuffix.PublicSuffix(string(name))
	if suffix == string(name) {
		return ErrSuffix
	}
	if Provider(name) {
		return ErrProvider
	}
	if len(recordLabel)+len(name) > maxName {
		return ErrLong
	}
	return nil
}

// Provider reports whether a domain, or that above it which is registered, is one of a
// public mail provider.
func Provider(name email.Domain) bool {
	registered, err := publicsuffix.EffectiveTLDPlusOne(string(name))
	if err != nil {
		return false
	}
	brand, _, _ := strings.Cut(registered, ".")
	return providers()[registered] || brands()[brand]
}

// brands are providers that own their name under many top-level domains.
var brands = sync.OnceValue(func() map[string]bool { return set(brandNames) }) //nolint:gochecknoglobals // a table that is never changed

var providers = sync.OnceValue(func() map[string]bool { return set(providerNames) }) //nolint:gochecknoglobals // a table that is never changed

func set(names string) map[string]bool {
	all := map[string]bool{}
	for name := range strings.FieldsSeq(names) {
		all[name] = true
	}
	return all
}

const brandNames = `
	gmail googlemail yahoo ymail rocketmail hotmail outlook gmx yandex protonmail tutanota mailinator
	yopmail guerrillamail sharklasers trashmail maildrop temp-mail tempmail 10minutemail`

const providerNames = `
	aol.com aim.com love.com ygm.com verizon.net att.net sbcglobal.net bellsouth.net comcast.net charter.net cox.net
	earthlink.net juno.com netzero.net optonline.net rr.com roadrunner.com windstream.net centurylink.net frontier.com
	live.com live.be live.ca live.cl live.cn live.co.uk live.co.za live.com.ar live.com.au live.com.mx live.com.my live.com.pt
	live.de live.dk live.fi live.fr live.hk live.ie live.in live.it live.jp live.nl live.no live.ru live.se msn.com passport.com windowslive.com
	icloud.com me.com mac.com
	proton.me pm.me tuta.com tuta.io tutamail.com tutanota.de keemail.me hey.com hushmail.com hush.com hushmail.me
	mailfence.com posteo.de posteo.net posteo.org mailbox.org runbox.com startmail.com ctemplar.com riseup.net disroot.org
	fastmail.com fastmail.fm fastmail.net fastmail.org sent.com messagingengine.com
	mail.com email.com usa.com myself.com consultant.com post.com europe.com asia.com iname.com writeme.com dr.com engineer.com
	cheerful.com techie.com accountant.com lawyer.com
	zoho.com zohomail.com zohomail.eu inbox.com inbox.lv inbox.ru lycos.com excite.com rediffmail.com indiatimes.com
	web.de freenet.de t-online.de arcor.de online.de email.de vodafone.de kabelmail.de 1und1.de
	orange.fr wanadoo.fr free.fr sfr.fr laposte.net neuf.fr bbox.fr numericable.fr voila.fr aliceadsl.fr club-internet.fr
	libero.it virgilio.it tiscali.it alice.it tin.it email.it poste.it fastwebnet.it
	btinternet.com talktalk.net virginmedia.com sky.com blueyonder.co.uk ntlworld.com tiscali.co.uk o2.co.uk
	ziggo.nl kpnmail.nl planet.nl hetnet.nl home.nl xs4all.nl chello.nl casema.nl upcmail.nl telenet.be skynet.be proximus.be
	bluewin.ch sunrise.ch hispeed.ch aon.at chello.at telia.com telenor.no online.no mail.dk sol.dk tdcadsl.dk
	seznam.cz centrum.cz atlas.cz email.cz post.cz volny.cz azet.sk centrum.sk zoznam.sk
	wp.pl o2.pl interia.pl onet.pl op.pl vp.pl poczta.fm gazeta.pl tlen.pl
	freemail.hu citromail.hu abv.bg mail.bg ukr.net i.ua meta.ua bigmir.net
	mail.ru bk.ru list.ru internet.ru rambler.ru ya.ru lenta.ru
	qq.com foxmail.com 163.com 126.com yeah.net 188.com sina.com sina.cn sohu.com 139.com 189.cn wo.cn aliyun.com tom.com 21cn.com
	naver.com daum.net hanmail.net nate.com kakao.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp au.com nifty.com biglobe.ne.jp
	uol.com.br bol.com.br terra.com.br ig.com.br globo.com globomail.com oi.com.br r7.com zipmail.com.br
	terra.es telefonica.net movistar.es ono.com sapo.pt mail.pt iol.pt netcabo.pt clix.pt
	bigpond.com bigpond.net.au optusnet.com.au iinet.net.au tpg.com.au xtra.co.nz
	shaw.ca rogers.com sympatico.ca bell.net telus.net videotron.ca
	walla.com walla.co.il netvision.net.il maktoob.com eircom.net
	duck.com simplelogin.com simplelogin.io slmail.me addy.io anonaddy.com anonaddy.me mozmail.com 33mail.com spamgourmet.com
	guerrillamailblock.com grr.la pokemail.net spam4.me dispostable.com getnada.com nada.email mailnesia.com mailcatch.com mintemail.com
	mohmal.com moakt.com fakeinbox.com throwawaymail.com emailondeck.com mytemp.email tempmailo.com tempr.email discard.email
	discardmail.com spamex.com mailnull.com getairmail.com tempinbox.com burnermail.io inboxkitten.com minuteinbox.com 1secmail.com
	1secmail.net 1secmail.org emailfake.com fakemail.net fakemailgenerator.com temp-inbox.com mail-temp.com tmpmail.org tmpmail.net
	mailpoof.com mail.tm luxusmail.org byom.de wegwerfmail.de wegwerfemail.de einrot.com cuvox.de dayrep.com fleckens.hu gustr.com
	jourrapide.com rhyta.com superrito.com teleworm.us armyspy.com`
