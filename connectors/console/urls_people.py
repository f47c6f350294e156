"""Addresses of the screens for people and auditors."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
